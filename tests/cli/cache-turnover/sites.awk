# A recording of sites that are full, leak or grow, each with its own type. At each of five snapshots after
# the first, some objects are created and some are deleted, the oldest first except for Leak. `leaks`: the
# cache never drops anything.
function add(type, n, bytes) {
    for (; n > 0; n--) {
        id = ++last
        printf "%d %d %d 0 0 %d 1 %d 0 0 0 0 0 0 0 0\n", id, type, bytes, k * 1000 - 500, type
        size[id] = bytes
        queue[type, ++tail[type]] = id
        live++
        sum += bytes
    }
}
function gone(id) {
    lost = lost id " " k * 1000 - 100 "\n"
    live--
    sum -= size[id]
}
function drop(type, n) {
    for (; n > 0; n--)
        gone(queue[type, ++head[type]])
}
BEGIN {
    stamp = "\"2022-02-01T08:01:39.967+05:00\""
    for (k = 1; k <= 8; k++) {
        tag = k < 7 ? "_Auto" : k == 7 ? "_PreCleanUp" : "_Exit"
        printf "2 1 %d %s \"AVM-Client\" \"%s\" \"\" \"\" 0 ", k, stamp, tag
        print "\"3f2504e0-4f89-11d3-9a0c-0305e82c330" leaks + 0 "\" \"\" 0 \"app\" ? 0.5 \"12.8.9\" \"\" \"\"\n."
        if (k == 1) {
            print "\"General\" 2\n."
            print "\"Cache\" 1\n\"Leak\" 2\n\"Queue\" 3\n\"Spike\" 4\n\"Filled\" 5\n\"Purged\" 6\n\"Split\" 7\n\"Grown\" 8\n\"Late\" 9\n\"Kept\" 10\n."
            print "\"Progress.Lang.Object\" 5\n."
        } else {
            print ".\n.\n."
        }
        print "2 1500 1500 1500\n."
        print (k > 1 ? ".\n.\n." : "1 \"shop.p\" 0\n.\n.\n1 1 0 0\n.")
        lost = ""
        work = k > 1 && k < 7
        # always 4 objects of 1,000 bytes
        add(1, k == 1 ? 4 : 2 * work, 1000)
        drop(1, leaks ? 0 : 2 * work)
        # Always 7 objects of 200 bytes: of two that are created, one stays, and the other is deleted at the
        # next snapshot, together with one from the start.
        add(2, k == 1 ? 7 : 2 * work, 200)
        drop(2, work + (k == 2))
        if (work && k > 2)
            gone(sibling)
        sibling = queue[2, tail[2]]
        # 4, 5, 6, 7, 8, 9 of 100 bytes
        add(3, 4 * (k == 1 || work), 100)
        drop(3, 3 * work)
        # 0, 10, 1, 2, 3, 4 of 50 bytes
        add(4, k == 2 ? 10 : work, 50)
        drop(4, k == 3 ? 10 : 0)
        # 0, 5, 5, 5, 5, 5 of 30 bytes
        add(5, k == 2 ? 5 : 2 * work, 30)
        drop(5, k > 2 ? 2 * work : 0)
        # 6, 8, 6, 8, 6, 8 of 20 bytes
        add(6, k == 1 ? 6 : 2 * work, 20)
        drop(6, k == 3 || k == 5 ? 4 : 0)
        # 160 bytes: one object of 40 becomes two of 20, until s5; until s2, there are 20 bytes more in as
        # many objects
        add(7, k == 1 ? 20 : 0, 1)
        add(7, k == 1 ? 4 : k < 6 ? 2 * work : 0, k == 1 ? 40 : 20)
        drop(7, k == 2 ? 21 : k < 6 ? work : 0)
        # 4, 4, 4, 4, 6, 6 of 15 bytes
        add(8, k == 1 || k == 5 ? 4 : 2 * work, 15)
        drop(8, 2 * work)
        # 0, 10, 0, 4, 6, 6 of 10 bytes
        add(9, k == 2 ? 10 : k == 4 ? 4 : k == 5 ? 2 : 0, 10)
        drop(9, k == 3 ? 10 : 0)
        # 0, 0, 2, 2, 2, 2 of 500 bytes
        add(10, k == 3 ? 2 : 0, 500)
        most = live > most ? live : most
        printf ".\n.\n%s.\n%d %d %d 1500 %d 0 0 0 0 \"%s\" %d\n.\n", lost, k * 1000, live, sum, most, tag, k
    }
}
