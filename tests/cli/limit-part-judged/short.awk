BEGIN {
    for (k = 1; k <= 2; k++) {
        printf "2 1 %d \"2022-02-01T08:01:39.967+05:00\" \"AVM-Client\" \"%s\" \"\" \"\" 0 ", k, k < 2 ? "_PreCleanUp" : "_Exit"
        print "\"3f2504e0-4f89-11d3-9a0c-0305e82c330a\" \"\" 0 \"app\" ? 0.5 \"12.8.9\" \"\" \"\"\n."
        print (k > 1 ? ".\n.\n." : "\"General\" 2\n.\n\"State\" 1\n.\n\"Progress.Lang.Object\" 5\n.")
        print "2 1500 1500 1500\n."
        print (k > 1 ? ".\n.\n." : "1 \"shop.p\" 0\n.\n.\n1 1 0 0\n.")
        if (k == 1)
            print "1 1 100 0 0 500 1 7 0 0 0 0 0 0 0 0"
        printf ".\n.\n.\n%d 1 100 1500 1 0 0 0 0 \"%s\" %d\n.\n", k * 1000, k < 2 ? "_PreCleanUp" : "_Exit", k
    }
}
