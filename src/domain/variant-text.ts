import type { Variant } from './variant.ts';

/** Who did it: `scripted, guidance good`; empty for a tool that was called directly. */
export function variantText({
  agent,
  connector,
  persona,
  model,
  guidance,
  skills,
  harness,
  description,
  surface,
  attack,
  faults,
  approvals,
}: Variant): string {
  const wording = description === undefined ? undefined : `wording ${description}`;
  const offered = surface === undefined ? undefined : `surface ${surface}`;
  const planted = attack === undefined ? undefined : `attack ${attack}`;
  const broken = faults === undefined ? undefined : `faults ${faults}`;
  const policy = approvals === undefined ? undefined : `approvals ${approvals}`;
  const arms = [guidance && `guidance ${guidance}`, skills && `skills ${skills}`, harness && `harness ${harness}`];
  return [agent, connector, persona, model, ...arms, wording, offered, planted, broken, policy]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** A part of variants as files, options and tables call it: stored variants call the wording a description. */
export function partName(part: string): string {
  return part === 'description' ? 'wording' : part;
}

/** A variant as a column or a choice, which needs a name. */
export function variantLabel(variant: Variant): string {
  return variantText(variant) || 'no variant';
}
