// Ask a server by the client of @modelcontextprotocol/sdk, and print what it answered as JSON.
//
//   node tests/mcp_client.mjs PACKAGE MEMPROF FOLDER
import { pathToFileURL } from "node:url";

const [place, program, folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${place}/dist/esm/client/${name}.js`));
const { Client } = await load("index");
const { StdioClientTransport } = await load("stdio");

const client = new Client({ name: "memprof-test", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: program, args: ["mcp", folder] }));
const said = { server: client.getServerVersion(), tools: [] };
let cursor;
do {
    const page = await client.listTools(cursor ? { cursor } : {});
    said.tools.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
} while (cursor);

const call = (name, args) => client.callTool({ name, arguments: args });
const leaks = await call("leaks", { files: ["shop-v2.oemp"] });
said.brief = leaks.content[0].text;
const statement = "select sum(live_bytes) as total from sites";
said.sql = (await call("sql", { files: ["shop-v2.oemp"], statement })).content[0].text;
const overview = await call("analyze", { files: ["shop-v2.oemp"] });
const more = await call("analyze", { files: ["shop-v2.oemp"], cursor: overview._meta.nextCursor });
said.page = JSON.parse(more.content[0].text).command === "analyze";
said.refused = (await call("leaks", { files: ["../README.md"] })).isError;
said.unknown = await call("leeks", {}).then(() => null, (error) => error.code);
await client.ping();
await client.close();
console.log(JSON.stringify(said));
