/* shop/placeOrder.p: turns a cart into an order. */
using shop.*.

block-level on error undo, throw.

define input  parameter pCart  as character no-undo.
define output parameter pTotal as decimal   no-undo.

define temp-table ttCart no-undo
    field itemNum as integer
    field qty     as integer.
create widget-pool.

define variable oService as OrderService no-undo.
define variable oOrder   as Order        no-undo.
define variable hQuery   as handle       no-undo.
define variable hBuffer  as handle       no-undo.
define variable iLine    as integer      no-undo.

/* The service is made anew for each order: it keeps the state of one. */

function isOpen returns logical ( pNum as integer ) forward.

/* ------------------------------------------------------------------
   Order of things:
     1. the service
     2. the lines of the cart
     3. the total
     4. the order itself
     5. the receipt
   ------------------------------------------------------------------ */

if pCart = "" then
    return.

do on error undo, throw:

    oService = new OrderService( pCart ).

    /* One line of the cart after another, the way that the customer
       put them in. */


    run readCart ( pCart, output table ttCart ).

    for each ttCart:
        accumulate ttCart.qty ( total ).
    end.


    pTotal = oService:placeOrder( table ttCart ).

    if pTotal = ? then
        undo, throw new Progress.Lang.AppError( "no price", 1 ).

    /* The receipt. */

    output to value( pCart + ".txt" ). export pTotal. output close.

    finally:
        delete object oService no-error.
    end finally.
end.


procedure readCart:
    define input  parameter pName as character no-undo.
    define output parameter table for ttCart.
    for each cartLine no-lock where cartLine.cartName = pName by cartLine.num:
        create ttCart. buffer-copy cartLine to ttCart.

        /* spare parts */
        if cartLine.kind = 2 then run shop/zubehör.p ( cartLine.itemNum ).

    end.

    return.
end procedure.
