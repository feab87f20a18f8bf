# 1,000 bytes of start-up memory, freed at the end, and a cache of four objects of 100 bytes. At each of four
# snapshots, `made` objects are created, and the oldest ones are deleted.
function object(id, bytes, node, time) {
    printf "%d 41 %d 0 0 %d %d 7 0 0 0 0 0 0 0 0\n", id, bytes, time, node
    live++
    sum += bytes
}
function gone(id, bytes, time) {
    printf "%d %d\n", id, time
    live--
    sum -= bytes
}
BEGIN {
    for (k = 1; k <= 7; k++) {
        tag = k < 6 ? "_Auto" : k == 6 ? "_PreCleanUp" : "_Exit"
        stamp = "\"2022-02-01T08:01:39.967+05:00\""
        printf "2 1 %d %s \"AVM-Client\" \"%s\" \"\" \"\" 0 ", k, stamp, tag
        print "\"3f2504e0-4f89-11d3-9a0c-0305e82c3301\" \"\" 0 \"app\" ? 0.5 \"12.8.9\" \"\" \"\"\n."
        print (k > 1 ? ".\n.\n." : "\"General\" 2\n.\n\"Dynamic Query\" 41\n.\n\"Progress.Lang.Object\" 5\n.")
        print "2 1500 1500 1500\n."
        print (k > 1 ? ".\n.\n." : "1 \"cache.p\" 0\n2 \"start.p\" 0\n.\n.\n1 1 0 0\n2 2 0 0\n.")
        if (k == 1)
            object(99, 1000, 2, 100)
        for (n = k == 1 ? 4 : k < 6 ? made : 0; n > 0; n--)
            object(++id, 100, 1, k * 1000 - 500)
        most = live > most ? live : most
        print ".\n."
        if (k > 1 && k < 6)
            gone(k - 1, 100, k * 1000 - 100)
        if (k == 6)
            gone(99, 1000, k * 1000 - 100)
        printf ".\n%d %d %d 1500 %d 0 0 0 0 \"%s\" %d\n.\n", k * 1000, live, sum, most, tag, k
    }
}
