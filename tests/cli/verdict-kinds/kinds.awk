# Ten snapshots of work after the first, then the clean-up. Each site is a line of shop.p.
function add(site, n, bytes) {
    for (; n > 0; n--) {
        id = ++last
        printf "%d %d %d 0 0 %d 1 %d 0 0 0 0 0 0 0 0\n", id, site, bytes, k * 1000 - 500, site
        size[id] = bytes
        queue[site, ++tail[site]] = id
        live++
        sum += bytes
    }
}
function drop(site, n) {
    for (; n > 0; n--) {
        id = queue[site, ++head[site]]
        lost = lost id " " k * 1000 - 100 "\n"
        live--
        sum -= size[id]
    }
}
BEGIN {
    stamp = "\"2022-02-01T08:01:39.967+05:00\""
    for (k = 1; k <= 13; k++) {
        tag = k < 12 ? "_Auto" : k == 12 ? "_PreCleanUp" : "_Exit"
        printf "2 1 %d %s \"AVM-Client\" \"%s\" \"\" \"\" 0 ", k, stamp, tag
        print "\"3f2504e0-4f89-11d3-9a0c-0305e82c3309\" \"\" 0 \"app\" ? 0.5 \"12.8.9\" \"\" \"\"\n."
        if (k == 1) {
            print "\"General\" 2\n."
            print "\"Steady\" 1\n\"Queue\" 2\n\"Grown\" 3\n\"Filled\" 4\n\"Pool\" 5\n\"Freed\" 6\n."
            print "\"Progress.Lang.Object\" 5\n."
        } else {
            print ".\n.\n."
        }
        print "2 1500 1500 1500\n."
        print (k > 1 ? ".\n.\n." : "1 \"shop.p\" 0\n.\n.\n1 1 0 0\n.")
        lost = ""
        work = k > 1 && k < 12
        add(1, work, 100)
        add(2, 12 * work, 10)
        drop(2, 10 * work)
        add(3, k == 1, 100)
        add(4, k == 2 ? 20 : k == 3 || k == 4 ? 10 : 0, 50)
        add(5, k == 1 ? 8 : 4 * work, 30)
        drop(5, 4 * work)
        add(6, 5 * work, 20)
        drop(6, k == 12 ? 50 : k == 13 ? 0 : 0)
        print "."
        if (work) {
            sum += 50
            print grown = queue[3, 1], 3, 50 + 50 * k, 0, 0, 0
        }
        print "."
        printf "%s.\n", lost
        most = live > most ? live : most
        top = live + (work ? 14 : k == 12 ? 50 : 0)
        most = top > most ? top : most
        printf "%d %d %d 1500 %d 0 0 0 0 \"%s\" %d\n.\n", k * 1000, live, sum, most, tag, k
    }
}
