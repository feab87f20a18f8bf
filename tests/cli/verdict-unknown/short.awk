# Three snapshots of another process. The second and the third each create an object of 100 bytes.
BEGIN {
    for (k = 1; k <= 3; k++) {
        tag = k < 3 ? "work" : "_PreCleanUp"
        printf "2 1 %d \"2022-02-01T08:01:39.967+05:00\" \"AVM-Client\" \"%s\" \"\" \"\" 0 ", k, tag
        print "\"3f2504e0-4f89-11d3-9a0c-0305e82c330e\" \"\" 0 \"app\" ? 0.5 \"12.8.9\" \"\" \"\"\n."
        print (k > 1 ? ".\n.\n.\n." : "\"General\" 2\n.\n\"Order\" 1\n.\n.\n2 1500 1500 1500\n.")
        print (k > 1 ? ".\n.\n." : "1 \"shop.p\" 0\n.\n.\n1 1 0 0\n.")
        if (k > 1)
            printf "%d 1 100 0 0 %d 1 9 0 0 0 0 0 0 0 0\n", k, k * 1000 - 500
        printf ".\n.\n.\n%d %d %d 1500 9 0 0 0 0 \"%s\" %d\n.\n", k * 1000, k - 1, 100 * k - 100, tag, k
    }
}
