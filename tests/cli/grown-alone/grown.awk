# Eight snapshots. The second creates one object of 1,000 bytes, and each later one makes it 500 bytes larger.
BEGIN {
    for (k = 1; k <= 8; k++) {
        tag = k < 8 ? "work" : "_PreCleanUp"
        printf "2 1 %d \"2022-02-01T08:01:39.967+05:00\" \"AVM-Client\" \"%s\" \"\" \"\" 0 ", k, tag
        print "\"3f2504e0-4f89-11d3-9a0c-0305e82c330b\" \"\" 0 \"app\" ? 0.5 \"12.8.9\" \"\" \"\"\n."
        print (k > 1 ? ".\n.\n.\n." : "\"General\" 2\n.\n\"Buffer\" 1\n.\n.\n2 1500 1500 1500\n.")
        print (k > 1 ? ".\n.\n." : "1 \"shop.p\" 0\n.\n.\n1 1 0 0\n.")
        print (k == 2 ? "1 1 1000 0 0 1500 1 7 0 0 0 0 0 0 0 0\n." : ".")
        print (k > 2 ? "1 1 " 500 * k " 0 0 0\n." : ".")
        printf ".\n%d %d %d 1500 9 0 0 0 0 \"%s\" %d\n.\n", k * 1000, (k > 1), (k > 1 ? 500 * k : 0), tag, k
    }
}
