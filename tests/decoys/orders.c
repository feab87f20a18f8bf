#include <stdio.h>

int main(void)
{
    puts("120 orders");
    return 0;
}
