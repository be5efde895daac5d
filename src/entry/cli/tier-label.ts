const tierLabels = ['smoke', 'quick', 'standard', 'comprehensive'];

/** The name of a tier, as lists show it. */
export function tierLabel(tier: number): string {
  return tierLabels[tier] ?? `tier ${tier}`;
}
