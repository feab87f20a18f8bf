# Eight snapshots. From the second on, a.p creates one object of 200 bytes at each, and z.p two of 100.
BEGIN {
    for (k = 1; k <= 8; k++) {
        tag = k < 8 ? "work" : "_PreCleanUp"
        printf "2 1 %d \"2022-02-01T08:01:39.967+05:00\" \"AVM-Client\" \"%s\" \"\" \"\" 0 ", k, tag
        print "\"3f2504e0-4f89-11d3-9a0c-0305e82c330c\" \"\" 0 \"app\" ? 0.5 \"12.8.9\" \"\" \"\"\n."
        print (k > 1 ? ".\n.\n.\n." : "\"General\" 2\n.\n\"Order\" 1\n.\n.\n2 1500 1500 1500\n.")
        print (k > 1 ? ".\n.\n." : "1 \"a.p\" 0\n2 \"z.p\" 0\n.\n.\n1 1 0 0\n2 2 0 0\n.")
        for (i = 0; i < 3 && k > 1; i++)
            printf "%d 1 %d 0 0 %d %d 7 0 0 0 0 0 0 0 0\n", 3 * k + i, (i ? 100 : 200), k * 1000 - 500, (i ? 2 : 1)
        printf ".\n.\n.\n%d %d %d 1500 99 0 0 0 0 \"%s\" %d\n.\n", k * 1000, 3 * k - 3, 400 * k - 400, tag, k
    }
}
