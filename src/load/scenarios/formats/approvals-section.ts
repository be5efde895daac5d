import {
  type ApprovalsSection,
  approvalVariants,
  listedApprovals,
  type PlacedApprovalRule,
} from '../../../domain/approval-policy.ts';
import { formatPosition } from '../../../domain/errors.ts';
import type { Variant } from '../../../domain/variant.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';

/** The rules of a file with their places; undefined where it has no policy. */
export function readApprovals(
  written: ApprovalsSection,
  source: ParsedSource,
): readonly PlacedApprovalRule[] | undefined {
  if (written === undefined) return undefined;
  return listedApprovals(written).map(({ path, ...listed }) => ({
    ...listed,
    place: formatPosition(source.locate(['approvals', ...path])),
  }));
}

/** Each variant with each named policy; the same variants where policies have no names. */
export function withApprovals(variants: readonly Variant[], written: ApprovalsSection): readonly Variant[] {
  const names = approvalVariants(written);
  if (names.length === 0) return variants;
  return variants.flatMap((variant) => names.map((approvals) => ({ ...variant, approvals })));
}
