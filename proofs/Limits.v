(** Private limits: the walk to an inner radius and the choice of an outer one.

    Model of [mechanisms/private_limits.py] ([radius_costs]) and [session/search/limits.py]: one side
    of a released centre, records by their distances, which are integers. A candidate is a radius and
    its toll; the declared end is one that no record is beyond. *)

From Coq Require Import ZArith List Permutation Reals Lra Lia.
From LeastNoise Require Import Law OrderStatistics SparseVector PermuteFlip.
Import ListNotations.
Open Scope Z_scope.

(** * The model *)

(** Costs are integers in units of 1 over this. *)
Definition units : Z := 1099511627776.

Record candidate := Candidate { radius : option Z; toll : Z }.

(** How many records are at least as far. *)
Definition beyond (distances : list Z) (radius : option Z) : Z :=
  match radius with
  | Some r => Z.of_nat (length (filter (fun d => r <=? d) distances))
  | None => 0
  end.

(** [radius_costs]: [record] for every record that is as far, and a toll that is public. *)
Definition radius_cost (record : Z) (distances : list Z) (c : candidate) : Z :=
  record * beyond distances (radius c) + toll c.

Definition exponent_of (record : Z) (distances : list Z) (c : candidate) : R :=
  (IZR (radius_cost record distances c) / IZR units)%R.

(** The height of the question whether k records or more are nearer than a radius. *)
Definition inner_height (k : Z) (distances : list Z) (r : Z) : Z :=
  k - (size distances - beyond distances (Some r)).

(** * What one record does *)

Lemma beyond_permutation xs ys r : Permutation xs ys -> beyond xs r = beyond ys r.
Proof.
  intros P. destruct r as [r|]; [|easy]. cbn. f_equal.
  induction P; cbn; try destruct (_ <=? _); cbn; try destruct (_ <=? _); cbn; lia.
Qed.

Definition step (d : Z) (r : option Z) : Z :=
  match r with Some r => if r <=? d then 1 else 0 | None => 0 end.

Lemma beyond_cons d xs r : beyond (d :: xs) r = step d r + beyond xs r.
Proof. destruct r as [r|]; [|easy]. cbn. destruct (r <=? d); cbn [length]; lia. Qed.

Lemma step_grows d e r : d <= e -> step d r <= step e r <= step d r + 1.
Proof. intros H. destruct r as [r|]; cbn; [|lia]. destruct (Z.leb_spec r d), (Z.leb_spec r e); lia. Qed.

(** Counts beyond all radii move one way, by at most one: condition 3 of private-limits.md. *)
Theorem counts_move_one_way xs ys : edit xs ys ->
  (forall r, beyond xs r <= beyond ys r <= beyond xs r + 1) \/
  (forall r, beyond ys r <= beyond xs r <= beyond ys r + 1).
Proof.
  intros [(u & v & rest & P & Q)|[(u & P)|(u & P)]].
  - destruct (Z.le_ge_cases u v) as [L|L]; [left | right]; intros r;
      rewrite (beyond_permutation _ _ r P), (beyond_permutation _ _ r Q), !beyond_cons;
      pose proof (step_grows _ _ r L); lia.
  - left. intros r. rewrite (beyond_permutation _ _ r P), beyond_cons.
    unfold step. destruct r as [r|]; [destruct (r <=? u)|]; lia.
  - right. intros r. rewrite (beyond_permutation _ _ r P), beyond_cons.
    unfold step. destruct r as [r|]; [destruct (r <=? u)|]; lia.
Qed.

(** * The choice costs e *)

Theorem limits_choice_private record e m n xs ys candidates event :
  0 <= record -> (IZR record <= e * IZR units)%R -> edit xs ys ->
  least_of (exponent_of record xs) m candidates -> least_of (exponent_of record ys) n candidates ->
  (forall c, 0 <= event c)%R ->
  (permute_and_flip (exponent_of record xs) m candidates event
    <= exp e * permute_and_flip (exponent_of record ys) n candidates event)%R.
Proof.
  intros Hr He E M N Ev.
  assert (0 < IZR units)%R as U by (apply IZR_lt; reflexivity).
  assert (forall us vs c, beyond us (radius c) <= beyond vs (radius c) <= beyond us (radius c) + 1 ->
    (exponent_of record us c <= exponent_of record vs c <= exponent_of record us c + e)%R) as G.
  { clear - Hr He U. intros us vs c H. unfold exponent_of.
    assert (radius_cost record us c <= radius_cost record vs c <= radius_cost record us c + record) as [A B]
      by (unfold radius_cost; nia).
    apply IZR_le in A, B. rewrite plus_IZR in B.
    split; apply Rmult_le_reg_r with (IZR units); auto; unfold Rdiv.
    - rewrite !Rmult_assoc, Rinv_l by lra. lra.
    - rewrite Rmult_plus_distr_r, !Rmult_assoc, Rinv_l by lra. lra. }
  destruct (counts_move_one_way xs ys E) as [H|H].
  - apply (permute_and_flip_private _ _ m n e candidates M N); [|easy].
    intros c _. apply G, H.
  - apply (permute_and_flip_private _ _ n m e candidates N M); [|easy].
    intros c _. apply G, H.
Qed.

(** * The walk costs e1 + e2 *)

(** k is one number for all data sets. *)
Theorem limits_walk_private e1 e2 k radii xs ys index a b :
  (0 <= e1)%R -> (0 <= e2)%R -> edit xs ys ->
  probability e1 e2 (asked (inner_height k xs) radii index) a ->
  probability e1 e2 (asked (inner_height k ys) radii index) b ->
  (a <= exp (e1 + e2) * b)%R.
Proof.
  intros H1 H2 E A B. replace e2 with (INR 1 * e2)%R at 1 by (cbn; ring).
  refine (sparse_vector_monotone e1 e2 1 _ _ a b H1 H2 _ (asked_positives _ _ _) A B).
  assert ((forall r, inner_height k xs r <= inner_height k ys r <= inner_height k xs r + 1) \/
    (forall r, inner_height k xs r - 1 <= inner_height k ys r <= inner_height k xs r)) as H.
  { unfold inner_height. destruct E as [(u & v & rest & P & Q)|[(u & P)|(u & P)]].
    - rewrite (size_permutation _ _ P), (size_permutation _ _ Q). unfold size. cbn [length].
      destruct (Z.le_ge_cases u v) as [L|L]; [left | right]; intros r;
        rewrite (beyond_permutation _ _ (Some r) P), (beyond_permutation _ _ (Some r) Q), !beyond_cons;
        pose proof (step_grows _ _ (Some r) L); lia.
    - right. intros r. rewrite (size_permutation _ _ P), (beyond_permutation _ _ (Some r) P), beyond_cons.
      unfold size. cbn [length step]. destruct (r <=? u); lia.
    - left. intros r. rewrite (size_permutation _ _ P), (beyond_permutation _ _ (Some r) P), beyond_cons.
      unfold size. cbn [length step]. destruct (r <=? u); lia. }
  destruct H as [H|H]; [left | right]; apply asked_forall2; intros r f _; cbn; (split; [easy | apply H]).
Qed.
