----------------------------- MODULE FlagCount -----------------------------
(***************************************************************************)
(* sem->count of Linux 5.3 and later: a writer's bit, two flags, and above *)
(* them the number of readers, in words of rwsem.c.                        *)
(***************************************************************************)
EXTENDS Integers

WriterLocked == 1    \* RWSEM_WRITER_LOCKED
FlagWaiters  == 2    \* RWSEM_FLAG_WAITERS
FlagHandoff  == 4    \* RWSEM_FLAG_HANDOFF
ReaderBias   == 8    \* RWSEM_READER_BIAS, 256 in the kernel

Has(c, bit)     == (c \div bit) % 2 = 1
With(c, bit)    == IF Has(c, bit) THEN c ELSE c + bit
Without(c, bit) == IF Has(c, bit) THEN c - bit ELSE c
NoFlags(c)      == Without(Without(c, FlagWaiters), FlagHandoff)
WriterIn(c)     == Has(c, WriterLocked)
ReaderCount(c)  == c \div ReaderBias
Locked(c)       == WriterIn(c) \/ ReaderCount(c) # 0         \* RWSEM_LOCK_MASK
ReadFails(c)    == c % ReaderBias # 0                        \* RWSEM_READ_FAILED_MASK
=============================================================================
