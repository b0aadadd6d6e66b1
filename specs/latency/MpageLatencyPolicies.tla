------------------------ MODULE MpageLatencyPolicies ------------------------
(***************************************************************************)
(* The variants of delayed allocation's writeback that MpageLatency can    *)
(* run, each a record of decisions.                                        *)
(*                                                                         *)
(*   points   where the flusher calls cond_resched: after a batch of pages *)
(*            that it collects, after a batch that it submits, after a     *)
(*            handle that it has stopped                                   *)
(*   handle   what a handle is for: "all" pages, which are one run, or one *)
(*            "extent" at a time                                           *)
(*            (with one bio, and a first pass without a handle)            *)
(*   sync     the handle is synchronous: its stop waits for the commit     *)
(*   stop     "early": the handle is stopped before the bio is sent;       *)
(*            "late": after                                                *)
(***************************************************************************)

\* Linux 2.6.34: write_cache_pages has a cond_resched after each pagevec,
\* mpage_da_submit_io has none.
NoResched == [points |-> {"collect"}, handle |-> "all", sync |-> FALSE, stop |-> "late"]

\* Michal Schmidt's patch of 2010: mpage_da_submit_io has one too.
ReschedPerPagevec == [NoResched EXCEPT !.points = {"collect", "submit"}]

\* Control: no cond_resched in either loop.
NoPoint == [NoResched EXCEPT !.points = {}]

\* Linux since 3.11 (4e7ea81db534): a handle for each extent, stopped before the
\* bio is sent.  What is Mapped is of kernels with dddbd6ac8f25 (4.9 has it not):
\* older ones have no pass before the handle.
PerExtent == [NoResched EXCEPT !.handle = "extent", !.stop = "early"]

\* The same with a synchronous handle, which is stopped last.
SyncStopLate == [PerExtent EXCEPT !.sync = TRUE, !.stop = "late"]

\* It is stopped as any other, as before 646caa9c8e19.
SyncStopEarly == [PerExtent EXCEPT !.sync = TRUE]

\* Proposals: PerExtent with the patch's cond_resched; and with none but one
\* between two handles.
PerExtentPagevec == [PerExtent EXCEPT !.points = {"collect", "submit"}]
BetweenHandles   == [PerExtent EXCEPT !.points = {"stop"}]
=============================================================================
