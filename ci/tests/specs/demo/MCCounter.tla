---- MODULE MCCounter ----
EXTENDS Counter, TLC
EmitPrint(action, args, s, t) == PrintT(ToString(<<"E", action, args, s, t>>))
====
