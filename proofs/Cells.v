(** Public cells of lattice points: narrow ones near an anchor and wide ones far out are the
    logarithmic base of the shifted form, one cell is the flat base.

    Model of [Cells] in [sampling/shifted.py]: the points of the indices rise, and the first index of a
    point is what it says. *)

From Coq Require Import ZArith List Lia Bool.
From LeastNoise Require Import OrderStatistics.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

(** Indices of a cell. *)
Definition parts : Z := 4294967296.

Definition corner (corners : list Z) (cell : Z) : Z := nth (Z.to_nat cell) corners 0.

Definition last_cell (corners : list Z) : Z := Z.of_nat (length corners) - 1.

(** [Cells.count]. *)
Definition indices (corners : list Z) : Z := last_cell corners * parts + 1.

(** [Cells.point]. *)
Definition point (corners : list Z) (index : Z) : Z :=
  let cell := index / parts in
  let part := index mod parts in
  let start := corner corners cell in
  if part =? 0 then start else start + (corner corners (cell + 1) - start) * part / parts.

(** [Cells.first_at]: the last corner that is not beyond the point is found by counting them. *)
Definition first_at (corners : list Z) (y : Z) : Z :=
  if y <=? corner corners 0 then 0
  else if corner corners (last_cell corners) <? y then indices corners
  else
    let cell := count y corners - 1 in
    let start := corner corners cell in
    if y =? start then cell * parts
    else cell * parts - (start - y) * parts / (corner corners (cell + 1) - start).

(** * The first index of a point is what it says *)

Section Cells.
Variable corners : list Z.
Hypothesis corners_rise : forall i j, (i < j < length corners)%nat -> nth i corners 0 < nth j corners 0.
Hypothesis corners_some : (0 < length corners)%nat.

Lemma corner_mono i j : 0 <= i <= j -> j <= last_cell corners -> corner corners i <= corner corners j.
Proof.
  intros H L. unfold corner, last_cell in *. destruct (Z.eq_dec i j) as [->|E]; [lia|].
  apply Z.lt_le_incl, corners_rise. lia.
Qed.

Lemma corner_strict i j : 0 <= i < j -> j <= last_cell corners -> corner corners i < corner corners j.
Proof. intros H L. unfold corner, last_cell in *. apply corners_rise. lia. Qed.

Lemma corners_ascend : ascending corners.
Proof.
  clear corners_some. induction corners as [|c cs IH]; [constructor|]. constructor.
  - intros y Hy. apply (In_nth _ _ 0) in Hy. destruct Hy as (j & Hj & <-).
    apply Z.lt_le_incl. apply (corners_rise 0 (S j)). cbn. lia.
  - apply IH. intros i j H. apply (corners_rise (S i) (S j)). cbn. lia.
Qed.

Lemma corner_counted y i : 0 <= i <= last_cell corners ->
  corner corners i <= y <-> i < count y corners.
Proof.
  intros H. unfold last_cell in H. unfold corner.
  rewrite (nth_ascending y 0 corners (Z.to_nat i) corners_ascend) by lia. lia.
Qed.

Lemma parts_positive : 0 < parts.
Proof. reflexivity. Qed.

(** The point of an index lies in its cell. *)
Lemma point_in_cell i : 0 <= i < indices corners ->
  let cell := i / parts in
  0 <= cell <= last_cell corners /\ corner corners cell <= point corners i /\
  (cell < last_cell corners -> point corners i < corner corners (cell + 1)) /\
  (cell = last_cell corners -> i mod parts = 0).
Proof.
  intros H cell. pose proof parts_positive as P. unfold indices in H.
  pose proof (Z.div_mod i parts ltac:(lia)) as D. pose proof (Z.mod_pos_bound i parts P) as B.
  fold cell in D. set (part := i mod parts) in *.
  assert (0 <= cell) by (apply Z.div_pos; lia).
  assert (cell <= last_cell corners) as L by nia.
  assert (cell = last_cell corners -> part = 0) as E by (intros E; rewrite E in D; lia).
  split; [easy|]. unfold point. fold cell. fold part.
  destruct (Z.eqb_spec part 0) as [Z0|N0].
  - split; [lia|]. split; [|easy]. intros. apply corner_strict; lia.
  - assert (cell < last_cell corners) as L' by lia.
    pose proof (corner_strict cell (cell + 1) ltac:(lia) ltac:(lia)) as S.
    set (w := corner corners (cell + 1) - corner corners cell).
    assert (0 <= w * part / parts) by (apply Z.div_pos; unfold w; nia).
    assert (w * part / parts < w) by (apply Z.div_lt_upper_bound; unfold w; nia).
    repeat split; unfold w in *; lia.
Qed.

Lemma point_range i : 0 <= i < indices corners ->
  corner corners 0 <= point corners i <= corner corners (last_cell corners).
Proof.
  intros H. destruct (point_in_cell i H) as (C & A & B & E).
  pose proof (corner_mono 0 (i / parts) ltac:(lia) ltac:(lia)).
  destruct (Z.eq_dec (i / parts) (last_cell corners)) as [L|L].
  - specialize (E L). unfold point. rewrite E. cbn [Z.eqb]. rewrite L in *. lia.
  - specialize (B ltac:(lia)).
    pose proof (corner_mono (i / parts + 1) (last_cell corners) ltac:(lia) ltac:(lia)). lia.
Qed.

Lemma first_at_range y : 0 <= first_at corners y <= indices corners.
Proof.
  pose proof parts_positive as P. unfold first_at.
  assert (0 <= last_cell corners) as L by (unfold last_cell; lia).
  destruct (Z.leb_spec y (corner corners 0)) as [A|A]; [unfold indices; nia|].
  destruct (Z.ltb_spec (corner corners (last_cell corners)) y) as [B|B]; [unfold indices; nia|].
  set (cell := count y corners - 1).
  assert (0 <= cell) as C0 by (pose proof (proj1 (corner_counted y 0 ltac:(lia))); unfold cell; lia).
  assert (cell <= last_cell corners) as C1
    by (pose proof (count_bounds y corners); unfold cell, last_cell, size in *; lia).
  destruct (Z.eqb_spec y (corner corners cell)) as [E|E]; [unfold indices; nia|].
  assert (corner corners cell <= y) as Y0 by (apply corner_counted; unfold cell in *; lia).
  assert (cell < last_cell corners) as C2.
  { destruct (Z.eq_dec cell (last_cell corners)) as [F|F]; [|lia]. rewrite F in *. lia. }
  assert (y < corner corners (cell + 1)) as Y1.
  { destruct (Z.lt_ge_cases y (corner corners (cell + 1))) as [|G]; [easy|].
    apply corner_counted in G; unfold cell in *; lia. }
  set (w := corner corners (cell + 1) - corner corners cell).
  assert (- parts <= (corner corners cell - y) * parts / w)
    by (apply Z.div_le_lower_bound; unfold w; nia).
  assert ((corner corners cell - y) * parts / w <= 0)
    by (apply Z.div_le_upper_bound; unfold w; nia).
  unfold indices. nia.
Qed.

(** From the first index on, and only from there, points are at least y. *)
Theorem first_at_spec y i : 0 <= i < indices corners ->
  first_at corners y <= i <-> y <= point corners i.
Proof.
  intros H. pose proof parts_positive as P. pose proof (point_range i H) as R.
  destruct (point_in_cell i H) as (C & A & B & E).
  unfold first_at. assert (0 <= last_cell corners) as L by lia.
  destruct (Z.leb_spec y (corner corners 0)) as [Y|Y]; [lia|].
  destruct (Z.ltb_spec (corner corners (last_cell corners)) y) as [Y'|Y']; [lia|].
  set (cell := count y corners - 1).
  assert (0 <= cell) as C0 by (pose proof (proj1 (corner_counted y 0 ltac:(lia))); unfold cell; lia).
  assert (cell <= last_cell corners) as C1
    by (pose proof (count_bounds y corners); unfold cell, last_cell, size in *; lia).
  assert (corner corners cell <= y) as Y0 by (apply corner_counted; unfold cell in *; lia).
  pose proof (Z.div_mod i parts ltac:(lia)) as D. pose proof (Z.mod_pos_bound i parts P) as M.
  (* the cells before it lie below y, those behind it are reached *)
  assert (i / parts < cell -> point corners i < y) as Before.
  { intros G. specialize (B ltac:(lia)).
    pose proof (corner_mono (i / parts + 1) cell ltac:(lia) ltac:(lia)). lia. }
  assert (cell < i / parts -> y <= point corners i) as Behind.
  { intros G. pose proof (corner_mono (cell + 1) (i / parts) ltac:(lia) ltac:(lia)).
    destruct (Z.lt_ge_cases y (corner corners (cell + 1))) as [|F]; [lia|].
    apply corner_counted in F; unfold cell in *; lia. }
  destruct (Z.eqb_spec y (corner corners cell)) as [F|F].
  { destruct (Z.lt_total (i / parts) cell) as [G|[G|G]].
    - specialize (Before G). nia.
    - rewrite G in *. nia.
    - specialize (Behind G). nia. }
  assert (cell < last_cell corners) as C2.
  { destruct (Z.eq_dec cell (last_cell corners)) as [G|G]; [|lia]. rewrite G in *. lia. }
  assert (y < corner corners (cell + 1)) as Y1.
  { destruct (Z.lt_ge_cases y (corner corners (cell + 1))) as [|G]; [easy|].
    apply corner_counted in G; unfold cell in *; lia. }
  set (start := corner corners cell) in *.
  set (w := corner corners (cell + 1) - start). assert (0 < w) as W by (unfold w; lia).
  set (k := - ((start - y) * parts / w)).
  pose proof (Z.mul_div_le ((start - y) * parts) w W) as K1.
  pose proof (Z.mul_succ_div_gt ((start - y) * parts) w W) as K2.
  assert (w * k >= (y - start) * parts /\ w * (k - 1) < (y - start) * parts) as [K K'] by (unfold k; nia).
  assert (1 <= k <= parts) as Kb by nia.
  replace (cell * parts - (start - y) * parts / w) with (cell * parts + k) by (unfold k; lia).
  destruct (Z.lt_total (i / parts) cell) as [G|[G|G]].
  - specialize (Before G). nia.
  - unfold point. rewrite G. fold start. fold w. set (part := i mod parts) in *.
    destruct (Z.eqb_spec part 0) as [N|N]; [nia|].
    assert (y <= start + w * part / parts <-> (y - start) * parts <= w * part) as Q.
    { split; intros Q.
      - pose proof (Z.mul_div_le (w * part) parts P). nia.
      - enough (y - start <= w * part / parts) by lia. apply Z.div_le_lower_bound; lia. }
    rewrite Q. split; intros X; nia.
  - specialize (Behind G). nia.
Qed.

Lemma point_monotone i j : 0 <= i <= j -> j < indices corners -> point corners i <= point corners j.
Proof.
  intros H L. apply first_at_spec; [lia|].
  pose proof (proj2 (first_at_spec (point corners i) i ltac:(lia)) ltac:(lia)). lia.
Qed.

End Cells.
