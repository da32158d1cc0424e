define internal i1 @span.load.0(ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals) noinline nounwind #0 #1 {
entry:
%sum = add i64 %start, %offset
%own = sub i64 %sum, 0
%one = insertelement <32 x i64> poison, i64 %own, i32 0
%all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
%at = add <32 x i64> %all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
%where = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %at, ptr %where, align 64, !tbaa !5
%bad = call i1 @openptx.load(ptr %w, i64 %lanes, i64 66561, i64 %first, i64 %locals)
ret i1 %bad
}

define internal i1 @span.store.1(ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals) noinline nounwind #0 #1 {
entry:
%sum = add i64 %start, %offset
%own = sub i64 %sum, 0
%one = insertelement <32 x i64> poison, i64 %own, i32 0
%all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer
%at = add <32 x i64> %all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
%where = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %at, ptr %where, align 64, !tbaa !5
%bad = call i1 @openptx.store(ptr %w, i64 %lanes, i64 66561, i64 %first, i64 %locals)
ret i1 %bad
}

define i32 @kernel(ptr noalias %w, ptr noalias %frames, i32 %start) nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r0 = alloca i64, align 64
%r3 = alloca <32 x i32>, align 64
%r4 = alloca <32 x i32>, align 64
%m1 = alloca <32 x i1>, align 4
%m2 = alloca <32 x i1>, align 4
%m3 = alloca <32 x i1>, align 4
%fuel = alloca i32, align 4
store i32 15420, ptr %fuel, align 4
%v0 = getelementptr i8, ptr %w, i64 0
%v1 = load ptr, ptr %v0, align 4, !tbaa !5
%v2 = getelementptr i8, ptr %v1, i64 128
%v3 = load i64, ptr %v2, align 8, !tbaa !5
%v4 = getelementptr i8, ptr %v2, i64 24
%v5 = load i64, ptr %v4, align 8, !tbaa !5
%v6 = add i64 %v3, %v5
%v7 = inttoptr i64 %v6 to ptr
%v8 = getelementptr i8, ptr %v7, i64 0
%v9 = load i64, ptr %v8, align 8, !tbaa !5
%v10 = lshr i64 %v9, 32
%v11 = getelementptr i8, ptr %w, i64 8
%v12 = load i64, ptr %v11, align 4, !tbaa !5
%v13 = sub i64 %v10, 16
%v14 = sub i64 %v12, 16
%v15 = icmp ult i64 %v13, %v14
%v16 = select i1 %v15, i64 %v10, i64 0
%v17 = getelementptr [32 x i8], ptr %v1, i64 %v16
%v18 = getelementptr i8, ptr %v17, i64 0
%v19 = getelementptr i8, ptr %v17, i64 8
%v20 = getelementptr i8, ptr %v17, i64 16
%v21 = getelementptr i8, ptr %v17, i64 24
%v22 = load i64, ptr %v18, align 8, !tbaa !5
%v23 = load i64, ptr %v19, align 8, !tbaa !5
%v24 = load i64, ptr %v20, align 8, !tbaa !5
%v25 = load i64, ptr %v21, align 8, !tbaa !5
%v26 = add i64 %v22, 3
%v27 = and i64 %v26, -4
%v28 = sub i64 %v27, %v22
%v29 = sub i64 %v23, %v28
%v30 = sub i64 %v24, %v28
%v31 = add i64 %v27, %v25
%v32 = inttoptr i64 %v31 to ptr
%v33 = sub i64 %v9, %v27
%v34 = sub i64 %v29, 127
%v35 = call i64 @llvm.smax.i64(i64 %v34, i64 0)
%v36 = add i64 %v35, 3
%v37 = lshr i64 %v36, 2
%v38 = sub i64 %v30, 127
%v39 = call i64 @llvm.smax.i64(i64 %v38, i64 0)
%v40 = add i64 %v39, 3
%v41 = lshr i64 %v40, 2
br label %cta
cta:
%begin = phi i32 [ %start, %entry ], [ 0, %beside ]
br label %warp
warp:
%index = phi i32 [ %begin, %cta ], [ %next, %ready ]
%index64 = zext i32 %index to i64
%place = mul i64 %index64, 0
%frame = getelementptr i8, ptr %frames, i64 %place
%first32 = shl i32 %index, 5
%first = zext i32 %first32 to i64
store <32 x i1> zeroinitializer, ptr %m1, align 4
store <32 x i1> zeroinitializer, ptr %m2, align 4
store <32 x i1> zeroinitializer, ptr %m3, align 4
store <32 x i1> splat (i1 true), ptr %live, align 4
br label %block0
block0:
; 0
%v42 = zext i32 %first32 to i64
%v43 = mul i64 %v42, 4
%v44 = add i64 %v9, %v43
%v45 = sub i64 %v44, %v9
%v46 = add i64 %v33, %v45
%v47 = call i64 @llvm.fshr.i64(i64 %v46, i64 %v46, i64 2)
%v48 = icmp ult i64 %v47, %v37
br i1 %v48, label %b49, label %b50, !prof !1
b49:
%v51 = getelementptr i8, ptr %v32, i64 %v46
%v52 = load <32 x i32>, ptr %v51, align 4, !tbaa !6
br label %b53
b50:
%v54 = zext i32 -1 to i64
%v55 = call i1 @span.load.0(ptr %w, i64 %v54, i64 %v27, i64 %v46, i64 %first, i64 0)
br i1 %v55, label %b56, label %b57, !prof !0
b56:
%v58 = getelementptr i8, ptr %w, i64 196
store i32 4, ptr %v58, align 4
br label %failed
b57:
%v59 = getelementptr i8, ptr %w, i64 1280
%v60 = load volatile <32 x i32>, ptr %v59, align 4, !tbaa !5
br label %b53
b53:
%v61 = phi <32 x i32> [%v52, %b49], [%v60, %b57]
store i64 %v44, ptr %r0, align 4
store <32 x i32> %v61, ptr %r3, align 4
store <32 x i32> zeroinitializer, ptr %r4, align 4
store <32 x i1> splat (i1 true), ptr %m1, align 4
br label %block1
block1:
; 6
%v62 = load <32 x i1>, ptr %m1, align 4
store <32 x i1> zeroinitializer, ptr %m1, align 4
%v63 = load i32, ptr %fuel, align 4
%v64 = sub i32 %v63, 1
store i32 %v64, ptr %fuel, align 4
%v65 = icmp eq i32 %v64, 0
br i1 %v65, label %b66, label %b67, !prof !0
b66:
store i32 15420, ptr %fuel, align 4
%v68 = call i1 @openptx.poll(ptr %w)
br i1 %v68, label %b69, label %b70, !prof !0
b69:
%v71 = getelementptr i8, ptr %w, i64 196
store i32 6, ptr %v71, align 4
br label %failed
b70:
br label %b67
b67:
%v72 = load <32 x i32>, ptr %r3, align 4
%v73 = icmp ult <32 x i32> splat (i32 1), %v72
%v74 = xor <32 x i1> %v73, splat (i1 true)
%v75 = xor <32 x i1> %v74, splat (i1 true)
%v76 = and <32 x i1> %v74, %v62
%v77 = xor <32 x i1> %v74, splat (i1 true)
%v78 = and <32 x i1> %v77, %v62
%v79 = load <32 x i1>, ptr %m3, align 4
%v80 = or <32 x i1> %v79, %v76
store <32 x i1> %v80, ptr %m3, align 4
store <32 x i1> %v78, ptr %m2, align 4
br label %way0
block2:
; 8
%v81 = load <32 x i1>, ptr %m2, align 4
store <32 x i1> zeroinitializer, ptr %m2, align 4
%v82 = load <32 x i32>, ptr %r3, align 4
%v83 = and <32 x i32> %v82, splat (i32 1)
%v84 = icmp eq <32 x i32> %v83, zeroinitializer
%v85 = xor <32 x i1> %v84, splat (i1 true)
%v86 = mul <32 x i32> %v82, splat (i32 3)
%v87 = add <32 x i32> %v86, splat (i32 1)
%v88 = lshr <32 x i32> %v82, splat (i32 1)
%v89 = select <32 x i1> %v84, <32 x i32> %v88, <32 x i32> %v87
%v90 = load <32 x i32>, ptr %r4, align 4
%v91 = add <32 x i32> %v90, splat (i32 1)
%v92 = select <32 x i1> %v81, <32 x i32> %v91, <32 x i32> %v90
store <32 x i32> %v89, ptr %r3, align 4
store <32 x i32> %v92, ptr %r4, align 4
store <32 x i1> %v81, ptr %m1, align 4
br label %block1
block3:
; 15
store <32 x i1> zeroinitializer, ptr %m3, align 4
%v93 = load i64, ptr %r0, align 4
%v94 = load <32 x i32>, ptr %r4, align 4
%v95 = sub i64 %v93, %v9
%v96 = add i64 %v33, %v95
%v97 = call i64 @llvm.fshr.i64(i64 %v96, i64 %v96, i64 2)
%v98 = icmp ult i64 %v97, %v41
br i1 %v98, label %b99, label %b100, !prof !1
b100:
%v101 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %v94, ptr %v101, align 4, !tbaa !5
%v102 = zext i32 -1 to i64
%v103 = call i1 @span.store.1(ptr %w, i64 %v102, i64 %v27, i64 %v96, i64 %first, i64 0)
br i1 %v103, label %b104, label %b105, !prof !0
b104:
%v106 = getelementptr i8, ptr %w, i64 196
store i32 15, ptr %v106, align 4
br label %failed
b105:
br label %b107
b99:
%v108 = getelementptr i8, ptr %v32, i64 %v96
store <32 x i32> %v94, ptr %v108, align 4, !tbaa !6
br label %b107
b107:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
way0:
%v109 = load <32 x i1>, ptr %m2, align 4
%v110 = bitcast <32 x i1> %v109 to i32
%v111 = icmp ne i32 %v110, 0
br i1 %v111, label %block2, label %block3
ended:
br label %onward
failed:
%v112 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v112, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v113 = icmp ult i32 %next, 2
br i1 %v113, label %ready, label %rest
rest:
%v114 = getelementptr i8, ptr %w, i64 928
%v115 = load i32, ptr %v114, align 4
%v116 = add i32 %v115, -1
store i32 %v116, ptr %v114, align 4
%v117 = getelementptr i8, ptr %w, i64 120
%v118 = load ptr, ptr %v117, align 8
%v119 = getelementptr i8, ptr %v118, i64 16
%v120 = load volatile i32, ptr %v119, align 4
%v121 = icmp ne i32 %v116, 0
%v122 = icmp eq i32 %v120, 0
%v123 = and i1 %v121, %v122
br i1 %v123, label %beside, label %done
done:
ret i32 0
beside:
%v124 = getelementptr i8, ptr %w, i64 64
%v125 = load i32, ptr %v124, align 4
%v126 = add i32 %v125, 1
store i32 %v126, ptr %v124, align 4
%v127 = getelementptr i8, ptr %w, i64 88
%v128 = load i64, ptr %v127, align 4
%v129 = add i64 %v128, 1
store i64 %v129, ptr %v127, align 4
%v130 = getelementptr i8, ptr %w, i64 848
%v131 = load i64, ptr %v130, align 4
%v132 = add i64 %v131, 1
store i64 %v132, ptr %v130, align 4
br label %cta
ready:
br label %warp
}
