/* café, [31mred[0m */
	define variable i as integer.
run x.
run y.
message 1.
message 2.



procedure add:
  	i = i + 1.
  i = i + 2.