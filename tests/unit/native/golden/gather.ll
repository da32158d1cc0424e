define <32 x i32> @openptx.shared.gather.ed22cd065aa916d0(<32 x ptr> %at, i32 %lanes) noinline nounwind #0 {
entry:
%mask = bitcast i32 %lanes to <32 x i1>
%all = icmp eq i32 %lanes, -1
br i1 %all, label %whole, label %part
whole:
%o0 = extractelement <32 x ptr> %at, i32 0
%o1 = load i32, ptr %o0, align 4, !tbaa !6
%o2 = insertelement <32 x i32> poison, i32 %o1, i32 0
%o3 = extractelement <32 x ptr> %at, i32 1
%o4 = load i32, ptr %o3, align 4, !tbaa !6
%o5 = insertelement <32 x i32> %o2, i32 %o4, i32 1
%o6 = extractelement <32 x ptr> %at, i32 2
%o7 = load i32, ptr %o6, align 4, !tbaa !6
%o8 = insertelement <32 x i32> %o5, i32 %o7, i32 2
%o9 = extractelement <32 x ptr> %at, i32 3
%o10 = load i32, ptr %o9, align 4, !tbaa !6
%o11 = insertelement <32 x i32> %o8, i32 %o10, i32 3
%o12 = extractelement <32 x ptr> %at, i32 4
%o13 = load i32, ptr %o12, align 4, !tbaa !6
%o14 = insertelement <32 x i32> %o11, i32 %o13, i32 4
%o15 = extractelement <32 x ptr> %at, i32 5
%o16 = load i32, ptr %o15, align 4, !tbaa !6
%o17 = insertelement <32 x i32> %o14, i32 %o16, i32 5
%o18 = extractelement <32 x ptr> %at, i32 6
%o19 = load i32, ptr %o18, align 4, !tbaa !6
%o20 = insertelement <32 x i32> %o17, i32 %o19, i32 6
%o21 = extractelement <32 x ptr> %at, i32 7
%o22 = load i32, ptr %o21, align 4, !tbaa !6
%o23 = insertelement <32 x i32> %o20, i32 %o22, i32 7
%o24 = extractelement <32 x ptr> %at, i32 8
%o25 = load i32, ptr %o24, align 4, !tbaa !6
%o26 = insertelement <32 x i32> %o23, i32 %o25, i32 8
%o27 = extractelement <32 x ptr> %at, i32 9
%o28 = load i32, ptr %o27, align 4, !tbaa !6
%o29 = insertelement <32 x i32> %o26, i32 %o28, i32 9
%o30 = extractelement <32 x ptr> %at, i32 10
%o31 = load i32, ptr %o30, align 4, !tbaa !6
%o32 = insertelement <32 x i32> %o29, i32 %o31, i32 10
%o33 = extractelement <32 x ptr> %at, i32 11
%o34 = load i32, ptr %o33, align 4, !tbaa !6
%o35 = insertelement <32 x i32> %o32, i32 %o34, i32 11
%o36 = extractelement <32 x ptr> %at, i32 12
%o37 = load i32, ptr %o36, align 4, !tbaa !6
%o38 = insertelement <32 x i32> %o35, i32 %o37, i32 12
%o39 = extractelement <32 x ptr> %at, i32 13
%o40 = load i32, ptr %o39, align 4, !tbaa !6
%o41 = insertelement <32 x i32> %o38, i32 %o40, i32 13
%o42 = extractelement <32 x ptr> %at, i32 14
%o43 = load i32, ptr %o42, align 4, !tbaa !6
%o44 = insertelement <32 x i32> %o41, i32 %o43, i32 14
%o45 = extractelement <32 x ptr> %at, i32 15
%o46 = load i32, ptr %o45, align 4, !tbaa !6
%o47 = insertelement <32 x i32> %o44, i32 %o46, i32 15
%o48 = extractelement <32 x ptr> %at, i32 16
%o49 = load i32, ptr %o48, align 4, !tbaa !6
%o50 = insertelement <32 x i32> %o47, i32 %o49, i32 16
%o51 = extractelement <32 x ptr> %at, i32 17
%o52 = load i32, ptr %o51, align 4, !tbaa !6
%o53 = insertelement <32 x i32> %o50, i32 %o52, i32 17
%o54 = extractelement <32 x ptr> %at, i32 18
%o55 = load i32, ptr %o54, align 4, !tbaa !6
%o56 = insertelement <32 x i32> %o53, i32 %o55, i32 18
%o57 = extractelement <32 x ptr> %at, i32 19
%o58 = load i32, ptr %o57, align 4, !tbaa !6
%o59 = insertelement <32 x i32> %o56, i32 %o58, i32 19
%o60 = extractelement <32 x ptr> %at, i32 20
%o61 = load i32, ptr %o60, align 4, !tbaa !6
%o62 = insertelement <32 x i32> %o59, i32 %o61, i32 20
%o63 = extractelement <32 x ptr> %at, i32 21
%o64 = load i32, ptr %o63, align 4, !tbaa !6
%o65 = insertelement <32 x i32> %o62, i32 %o64, i32 21
%o66 = extractelement <32 x ptr> %at, i32 22
%o67 = load i32, ptr %o66, align 4, !tbaa !6
%o68 = insertelement <32 x i32> %o65, i32 %o67, i32 22
%o69 = extractelement <32 x ptr> %at, i32 23
%o70 = load i32, ptr %o69, align 4, !tbaa !6
%o71 = insertelement <32 x i32> %o68, i32 %o70, i32 23
%o72 = extractelement <32 x ptr> %at, i32 24
%o73 = load i32, ptr %o72, align 4, !tbaa !6
%o74 = insertelement <32 x i32> %o71, i32 %o73, i32 24
%o75 = extractelement <32 x ptr> %at, i32 25
%o76 = load i32, ptr %o75, align 4, !tbaa !6
%o77 = insertelement <32 x i32> %o74, i32 %o76, i32 25
%o78 = extractelement <32 x ptr> %at, i32 26
%o79 = load i32, ptr %o78, align 4, !tbaa !6
%o80 = insertelement <32 x i32> %o77, i32 %o79, i32 26
%o81 = extractelement <32 x ptr> %at, i32 27
%o82 = load i32, ptr %o81, align 4, !tbaa !6
%o83 = insertelement <32 x i32> %o80, i32 %o82, i32 27
%o84 = extractelement <32 x ptr> %at, i32 28
%o85 = load i32, ptr %o84, align 4, !tbaa !6
%o86 = insertelement <32 x i32> %o83, i32 %o85, i32 28
%o87 = extractelement <32 x ptr> %at, i32 29
%o88 = load i32, ptr %o87, align 4, !tbaa !6
%o89 = insertelement <32 x i32> %o86, i32 %o88, i32 29
%o90 = extractelement <32 x ptr> %at, i32 30
%o91 = load i32, ptr %o90, align 4, !tbaa !6
%o92 = insertelement <32 x i32> %o89, i32 %o91, i32 30
%o93 = extractelement <32 x ptr> %at, i32 31
%o94 = load i32, ptr %o93, align 4, !tbaa !6
%o95 = insertelement <32 x i32> %o92, i32 %o94, i32 31
ret <32 x i32> %o95
part:
%r = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %at, <32 x i1> %mask, <32 x i32> zeroinitializer), !tbaa !6
ret <32 x i32> %r
}

define { <32 x i32>, i1 } @openptx.shared.lanes.710d2a5dbff9db94(ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i64 %first, i64 %locals, i64 %what, <32 x i64> %places) noinline nounwind #0 {
entry:
%mask = bitcast i32 %lanes to <32 x i1>
%start.one = insertelement <32 x i64> poison, i64 %start, i32 0
%start.all = shufflevector <32 x i64> %start.one, <32 x i64> poison, <32 x i32> zeroinitializer
%offsets = sub <32 x i64> %places, %start.all
%room.one = insertelement <32 x i64> poison, i64 %room, i32 0
%room.all = shufflevector <32 x i64> %room.one, <32 x i64> poison, <32 x i32> zeroinitializer
%far = icmp uge <32 x i64> %offsets, %room.all
%ends = and <32 x i64> %places, splat (i64 3)
%odd = icmp ne <32 x i64> %ends, zeroinitializer
%wrong = or <32 x i1> %far, %odd
%here = and <32 x i1> %wrong, %mask
%word = bitcast <32 x i1> %here to i32
%none = icmp eq i32 %word, 0
br i1 %none, label %fast, label %slow, !prof !1
fast:
%host.one = insertelement <32 x i64> poison, i64 %host, i32 0
%host.all = shufflevector <32 x i64> %host.one, <32 x i64> poison, <32 x i32> zeroinitializer
%hosts = add <32 x i64> %places, %host.all
%at = inttoptr <32 x i64> %hosts to <32 x ptr>
%begins = shufflevector <32 x i64> %places, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
%row.places = add <32 x i64> %begins, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
%alike = icmp eq <32 x i64> %places, %row.places
%alike.word = bitcast <32 x i1> %alike to i32
%together = and i32 %alike.word, %lanes
%in.rows = icmp eq i32 %together, -1
br i1 %in.rows, label %rows, label %each
rows:
%one = extractelement <32 x ptr> %at, i32 0
%other = extractelement <32 x ptr> %at, i32 16
%low = load <16 x i32>, ptr %one, align 4, !tbaa !6
%high = load <16 x i32>, ptr %other, align 4, !tbaa !6
%row0 = shufflevector <16 x i32> %low, <16 x i32> %high, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
%row.r0 = insertvalue { <32 x i32>, i1 } poison, <32 x i32> %row0, 0
%row.r = insertvalue { <32 x i32>, i1 } %row.r0, i1 false, 1
ret { <32 x i32>, i1 } %row.r
each:
%at0 = getelementptr i8, <32 x ptr> %at, i64 0
%word0 = call <32 x i32> @openptx.shared.gather.ed22cd065aa916d0(<32 x ptr> %at0, i32 %lanes)
%high0 = lshr <32 x i32> %word0, splat (i32 0)
%found0 = bitcast <32 x i32> %high0 to <32 x i32>
%found.r0 = insertvalue { <32 x i32>, i1 } poison, <32 x i32> %found0, 0
%found.r = insertvalue { <32 x i32>, i1 } %found.r0, i1 false, 1
ret { <32 x i32>, i1 } %found.r
slow:
%scratch = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %places, ptr %scratch, align 64, !tbaa !5
%wide = zext i32 %lanes to i64
%data0 = getelementptr i8, ptr %w, i64 1280
%bad = call i1 @openptx.load(ptr %w, i64 %wide, i64 %what, i64 %first, i64 %locals)
%exact0 = load volatile <32 x i32>, ptr %data0, align 4, !tbaa !5
%exact.r0 = insertvalue { <32 x i32>, i1 } poison, <32 x i32> %exact0, 0
%exact.r = insertvalue { <32 x i32>, i1 } %exact.r0, i1 %bad, 1
ret { <32 x i32>, i1 } %exact.r
}

define i1 @openptx.shared.lanes.36be43c125e0ac61(ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i64 %first, i64 %locals, i64 %what, <32 x i64> %places, <32 x i32> %value0) noinline nounwind #0 {
entry:
%mask = bitcast i32 %lanes to <32 x i1>
%start.one = insertelement <32 x i64> poison, i64 %start, i32 0
%start.all = shufflevector <32 x i64> %start.one, <32 x i64> poison, <32 x i32> zeroinitializer
%offsets = sub <32 x i64> %places, %start.all
%room.one = insertelement <32 x i64> poison, i64 %room, i32 0
%room.all = shufflevector <32 x i64> %room.one, <32 x i64> poison, <32 x i32> zeroinitializer
%far = icmp uge <32 x i64> %offsets, %room.all
%ends = and <32 x i64> %places, splat (i64 3)
%odd = icmp ne <32 x i64> %ends, zeroinitializer
%wrong = or <32 x i1> %far, %odd
%here = and <32 x i1> %wrong, %mask
%word = bitcast <32 x i1> %here to i32
%none = icmp eq i32 %word, 0
br i1 %none, label %fast, label %slow, !prof !1
fast:
%host.one = insertelement <32 x i64> poison, i64 %host, i32 0
%host.all = shufflevector <32 x i64> %host.one, <32 x i64> poison, <32 x i32> zeroinitializer
%hosts = add <32 x i64> %places, %host.all
%at = inttoptr <32 x i64> %hosts to <32 x ptr>
%begins = shufflevector <32 x i64> %places, <32 x i64> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
%row.places = add <32 x i64> %begins, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
%alike = icmp eq <32 x i64> %places, %row.places
%alike.word = bitcast <32 x i1> %alike to i32
%together = and i32 %alike.word, %lanes
%in.rows = icmp eq i32 %together, -1
br i1 %in.rows, label %rows, label %each
rows:
%one = extractelement <32 x ptr> %at, i32 0
%other = extractelement <32 x ptr> %at, i32 16
%low = shufflevector <32 x i32> %value0, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
%high = shufflevector <32 x i32> %value0, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
store <16 x i32> %low, ptr %one, align 4, !tbaa !6
store <16 x i32> %high, ptr %other, align 4, !tbaa !6
ret i1 false
each:
%at0 = getelementptr i8, <32 x ptr> %at, i64 0
call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> %value0, <32 x ptr> align 4 %at0, <32 x i1> %mask), !tbaa !6
ret i1 false
slow:
%scratch = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %places, ptr %scratch, align 64, !tbaa !5
%wide = zext i32 %lanes to i64
%data0 = getelementptr i8, ptr %w, i64 1280
store <32 x i32> %value0, ptr %data0, align 4, !tbaa !5
%bad = call i1 @openptx.store(ptr %w, i64 %wide, i64 %what, i64 %first, i64 %locals)
ret i1 %bad
}

define i32 @kernel(ptr noalias %w, ptr noalias %frames, i32 %start) nounwind #0 {
entry:
%live = alloca <32 x i1>, align 4
%r1 = alloca i64, align 64
%r6 = alloca <32 x i64>, align 64
%r7 = alloca <32 x i32>, align 64
%fuel = alloca i32, align 4
store i32 16384, ptr %fuel, align 4
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
%v10 = getelementptr i8, ptr %v7, i64 8
%v11 = load i64, ptr %v10, align 8, !tbaa !5
%v12 = lshr i64 %v9, 32
%v13 = getelementptr i8, ptr %w, i64 8
%v14 = load i64, ptr %v13, align 4, !tbaa !5
%v15 = sub i64 %v12, 16
%v16 = sub i64 %v14, 16
%v17 = icmp ult i64 %v15, %v16
%v18 = select i1 %v17, i64 %v12, i64 0
%v19 = getelementptr [32 x i8], ptr %v1, i64 %v18
%v20 = getelementptr i8, ptr %v19, i64 0
%v21 = getelementptr i8, ptr %v19, i64 8
%v22 = getelementptr i8, ptr %v19, i64 16
%v23 = getelementptr i8, ptr %v19, i64 24
%v24 = load i64, ptr %v20, align 8, !tbaa !5
%v25 = load i64, ptr %v21, align 8, !tbaa !5
%v26 = load i64, ptr %v22, align 8, !tbaa !5
%v27 = load i64, ptr %v23, align 8, !tbaa !5
%v28 = add i64 %v24, 3
%v29 = and i64 %v28, -4
%v30 = sub i64 %v29, %v24
%v31 = sub i64 %v25, %v30
%v32 = sub i64 %v26, %v30
%v33 = add i64 %v29, %v27
%v34 = inttoptr i64 %v33 to ptr
%v35 = sub i64 %v9, %v29
%v36 = sub i64 %v31, 127
%v37 = call i64 @llvm.smax.i64(i64 %v36, i64 0)
%v38 = add i64 %v37, 3
%v39 = lshr i64 %v38, 2
%v40 = sub i64 %v25, 3
%v41 = call i64 @llvm.smax.i64(i64 %v40, i64 0)
%v42 = lshr i64 %v11, 32
%v43 = sub i64 %v42, 16
%v44 = icmp ult i64 %v43, %v16
%v45 = select i1 %v44, i64 %v42, i64 0
%v46 = getelementptr [32 x i8], ptr %v1, i64 %v45
%v47 = getelementptr i8, ptr %v46, i64 0
%v48 = getelementptr i8, ptr %v46, i64 8
%v49 = getelementptr i8, ptr %v46, i64 16
%v50 = getelementptr i8, ptr %v46, i64 24
%v51 = load i64, ptr %v47, align 8, !tbaa !5
%v52 = load i64, ptr %v48, align 8, !tbaa !5
%v53 = load i64, ptr %v49, align 8, !tbaa !5
%v54 = load i64, ptr %v50, align 8, !tbaa !5
%v55 = sub i64 %v53, 3
%v56 = call i64 @llvm.smax.i64(i64 %v55, i64 0)
%v57 = sub i64 %v26, 3
%v58 = call i64 @llvm.smax.i64(i64 %v57, i64 0)
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
store <32 x i1> splat (i1 true), ptr %live, align 4
br label %block0
block0:
; 0
%v59 = zext i32 %first32 to i64
%v60 = mul i64 %v59, 4
%v61 = add i64 %v9, %v60
%v62 = sub i64 %v61, %v9
%v63 = add i64 %v35, %v62
%v64 = call i64 @llvm.fshr.i64(i64 %v63, i64 %v63, i64 2)
%v65 = icmp ult i64 %v64, %v39
br i1 %v65, label %b66, label %b67, !prof !1
b66:
%v68 = getelementptr i8, ptr %v34, i64 %v63
%v69 = load <32 x i32>, ptr %v68, align 4, !tbaa !6
br label %b70
b67:
%v71 = add i64 %v29, %v63
%v72 = zext i32 -1 to i64
%v73 = call i1 @openptx.load_span(ptr %w, i64 %v72, i64 21474903041, i64 %first, i64 0, i64 %v71, ptr @span.0)
br i1 %v73, label %failed, label %b74, !prof !0
b74:
%v75 = getelementptr i8, ptr %w, i64 1280
%v76 = load volatile <32 x i32>, ptr %v75, align 4, !tbaa !5
br label %b70
b70:
%v77 = phi <32 x i32> [%v69, %b66], [%v76, %b74]
%v78 = zext <32 x i32> %v77 to <32 x i64>
%v79 = mul <32 x i64> %v78, splat (i64 4)
%v80 = insertelement <32 x i64> poison, i64 %v9, i32 0
%v81 = shufflevector <32 x i64> %v80, <32 x i64> poison, <32 x i32> zeroinitializer
%v82 = add <32 x i64> %v81, %v79
%v83 = call { <32 x i32>, i1 } @openptx.shared.lanes.710d2a5dbff9db94(ptr %w, i32 -1, i64 %v24, i64 %v41, i64 %v27, i64 %first, i64 0, i64 34359804929, <32 x i64> %v82)
%v84 = extractvalue { <32 x i32>, i1 } %v83, 1
br i1 %v84, label %failed, label %b85, !prof !0
b85:
%v86 = extractvalue { <32 x i32>, i1 } %v83, 0
store i64 %v11, ptr %r1, align 4
store <32 x i64> %v82, ptr %r6, align 4
store <32 x i32> %v86, ptr %r7, align 4
br label %block1
block1:
; 9
%v87 = load <32 x i32>, ptr %r7, align 4
%v88 = shufflevector <32 x i32> %v87, <32 x i32> poison, <32 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, i32 12, i32 15, i32 14, i32 17, i32 16, i32 19, i32 18, i32 21, i32 20, i32 23, i32 22, i32 25, i32 24, i32 27, i32 26, i32 29, i32 28, i32 31, i32 30>
%v89 = uitofp <32 x i32> %v88 to <32 x float>
%v90 = call <32 x i32> @llvm.fptoui.sat.v32i32.v32f32(<32 x float> %v89)
%v91 = icmp ne <32 x i32> %v90, zeroinitializer
%v92 = xor <32 x i1> %v91, splat (i1 true)
%v93 = load i64, ptr %r1, align 4
%v94 = bitcast <32 x i1> %v91 to i32
%v95 = icmp ne i32 %v94, 0
br i1 %v95, label %b96, label %b97
b96:
%v98 = select <32 x i1> %v91, <32 x i32> %v90, <32 x i32> zeroinitializer
%v99 = call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %v98)
%v100 = insertelement <32 x i64> poison, i64 %v93, i32 0
%v101 = shufflevector <32 x i64> %v100, <32 x i64> poison, <32 x i32> zeroinitializer
%v102 = insertelement <32 x i64> poison, i64 %v51, i32 0
%v103 = shufflevector <32 x i64> %v102, <32 x i64> poison, <32 x i32> zeroinitializer
%v104 = sub <32 x i64> %v101, %v103
%v105 = insertelement <32 x i64> poison, i64 %v56, i32 0
%v106 = shufflevector <32 x i64> %v105, <32 x i64> poison, <32 x i32> zeroinitializer
%v107 = icmp uge <32 x i64> %v104, %v106
%v108 = and <32 x i64> %v101, splat (i64 3)
%v109 = icmp ne <32 x i64> %v108, zeroinitializer
%v110 = or <32 x i1> %v107, %v109
%v111 = and <32 x i1> %v110, %v91
%v112 = bitcast <32 x i1> %v111 to i32
%v113 = icmp ne i32 %v112, 0
br i1 %v113, label %b114, label %b115, !prof !0
b114:
%v116 = insertelement <32 x i64> poison, i64 %v93, i32 0
%v117 = shufflevector <32 x i64> %v116, <32 x i64> poison, <32 x i32> zeroinitializer
%v118 = getelementptr i8, ptr %w, i64 1024
store <32 x i64> %v117, ptr %v118, align 64, !tbaa !5
%v119 = bitcast <32 x i1> %v91 to i32
%v120 = zext i32 %v119 to i64
%v121 = call i1 @openptx.places(ptr %w, i64 %v120, i64 55834641409, i64 %first, i64 0)
br i1 %v121, label %failed, label %b122, !prof !0
b122:
%v123 = getelementptr i8, ptr %w, i64 1024
%v124 = load volatile <32 x ptr>, ptr %v123, align 64, !tbaa !5
br label %b125
b115:
%v126 = insertelement <32 x i64> poison, i64 %v54, i32 0
%v127 = shufflevector <32 x i64> %v126, <32 x i64> poison, <32 x i32> zeroinitializer
%v128 = add <32 x i64> %v101, %v127
%v129 = inttoptr <32 x i64> %v128 to <32 x ptr>
br label %b125
b125:
%v130 = phi <32 x ptr> [%v124, %b122], [%v129, %b115]
%v131 = getelementptr i8, ptr %w, i64 1024
store <32 x ptr> %v130, ptr %v131, align 64, !tbaa !5
%v132 = bitcast <32 x i1> %v91 to i32
%v133 = call i32 @llvm.cttz.i32(i32 %v132, i1 false)
%v134 = getelementptr i8, ptr %w, i64 1024
%v135 = getelementptr i64, ptr %v134, i32 %v133
%v136 = load volatile ptr, ptr %v135, align 8, !tbaa !5
%v137 = load i32, ptr %v136, align 4, !tbaa !6
%v138 = add i32 %v137, %v99
store i32 %v138, ptr %v136, align 4, !tbaa !6
br label %b97
b97:
%v139 = phi i32 [%v137, %b125], [0, %block1]
%v140 = load <32 x i64>, ptr %r6, align 4
%v141 = call i1 @openptx.shared.lanes.36be43c125e0ac61(ptr %w, i32 -1, i64 %v24, i64 %v58, i64 %v27, i64 %first, i64 0, i64 60129608705, <32 x i64> %v140, <32 x i32> %v90)
br i1 %v141, label %failed, label %b142, !prof !0
b142:
store <32 x i1> zeroinitializer, ptr %live, align 4
br label %ended
ended:
br label %onward
failed:
%v143 = getelementptr i8, ptr %w, i64 204
store i32 %index, ptr %v143, align 4
ret i32 2
onward:
%next = add i32 %index, 1
%v144 = icmp ult i32 %next, 2
br i1 %v144, label %ready, label %rest
rest:
%v145 = getelementptr i8, ptr %w, i64 928
%v146 = load i32, ptr %v145, align 4
%v147 = add i32 %v146, -1
store i32 %v147, ptr %v145, align 4
%v148 = getelementptr i8, ptr %w, i64 120
%v149 = load ptr, ptr %v148, align 8
%v150 = getelementptr i8, ptr %v149, i64 16
%v151 = load volatile i32, ptr %v150, align 4
%v152 = icmp ne i32 %v147, 0
%v153 = icmp eq i32 %v151, 0
%v154 = and i1 %v152, %v153
br i1 %v154, label %beside, label %done
done:
ret i32 0
beside:
%v155 = getelementptr i8, ptr %w, i64 64
%v156 = load i32, ptr %v155, align 4
%v157 = add i32 %v156, 1
store i32 %v157, ptr %v155, align 4
%v158 = getelementptr i8, ptr %w, i64 88
%v159 = load i64, ptr %v158, align 4
%v160 = add i64 %v159, 1
store i64 %v160, ptr %v158, align 4
%v161 = getelementptr i8, ptr %w, i64 848
%v162 = load i64, ptr %v161, align 4
%v163 = add i64 %v162, 1
store i64 %v163, ptr %v161, align 4
br label %cta
ready:
br label %warp
}
