# A cache that fills for 64 snapshots, with one object of 100 bytes at each. For 200 more snapshots, it drops
# an object for each new one.
BEGIN {
    stamp = "\"2022-02-01T08:01:39.967+05:00\""
    for (k = 1; k <= 265; k++) {
        tag = k < 265 ? "_Auto" : "_PreCleanUp"
        printf "2 1 %d %s \"AVM-Client\" \"%s\" \"\" \"\" 0 ", k, stamp, tag
        print "\"3f2504e0-4f89-11d3-9a0c-0305e82c3303\" \"\" 0 \"app\" ? 0.5 \"12.8.9\" \"\" \"\"\n."
        print (k > 1 ? ".\n.\n." : "\"General\" 2\n.\n\"Ring\" 1\n.\n\"Progress.Lang.Object\" 5\n.")
        print "2 1500 1500 1500\n."
        print (k > 1 ? ".\n.\n." : "1 \"shop.p\" 0\n.\n.\n1 1 0 0\n.")
        if (k < 265)
            printf "%d 1 100 0 0 %d 1 7 0 0 0 0 0 0 0 0\n", k, k * 1000 - 500
        lost = k > 64 && k < 265
        live += (k < 265) - lost
        printf ".\n.\n%s", lost ? k - 64 " " k * 1000 - 100 "\n" : ""
        most = live + lost > most ? live + lost : most
        printf ".\n%d %d %d 1500 %d 0 0 0 0 \"%s\" %d\n.\n", k * 1000, live, live * 100, most, tag, k
    }
}
