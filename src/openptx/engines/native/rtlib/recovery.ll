; Calls a function of LLVM, and returns when that calls abort(), as it does for a text that it cannot select. What the
; function had allocated is lost. One call at a time; what other threads abort ends the process.

@recovery.thread = internal global i64 0
@recovery.context = internal global [64 x i64] zeroinitializer, align 16    ; a sigjmp_buf has 200 bytes

declare i32 @__sigsetjmp(ptr, i32) returns_twice
declare void @siglongjmp(ptr, i32) noreturn
declare i32 @sigaction(i32, ptr, ptr)
declare i64 @pthread_self()

define internal void @recovery.signalled(i32 %signal) {
  %self = call i64 @pthread_self()
  %caller = load i64, ptr @recovery.thread
  %same = icmp eq i64 %self, %caller
  br i1 %same, label %back, label %other
back:
  call void @siglongjmp(ptr @recovery.context, i32 1)
  unreachable
other:
  ret void
}

define i64 @openptx.recovering(ptr %function, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, ptr %aborted) {
  %ours = alloca [20 x i64], align 8                                        ; a sigaction has 152 bytes
  %before = alloca [20 x i64], align 8
  store [20 x i64] zeroinitializer, ptr %ours
  store ptr @recovery.signalled, ptr %ours
  %self = call i64 @pthread_self()
  store i64 %self, ptr @recovery.thread
  %failed = call i32 @sigaction(i32 6, ptr %ours, ptr %before)
  %again = call i32 @__sigsetjmp(ptr @recovery.context, i32 1) returns_twice
  %first = icmp eq i32 %again, 0
  br i1 %first, label %call, label %back
call:
  %result = call i64 %function(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e)
  br label %end
back:
  store i32 1, ptr %aborted
  br label %end
end:
  %found = phi i64 [%result, %call], [0, %back]
  %restored = call i32 @sigaction(i32 6, ptr %before, ptr null)
  ret i64 %found
}
