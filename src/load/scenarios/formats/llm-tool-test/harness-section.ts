import { type HarnessConfig, harnessItems } from '../../../../domain/harness.ts';
import type { Variant } from '../../../../domain/variant.ts';
import { listed } from '../../../../shared/suggest.ts';
import type { HarnessArm, HarnessSection } from './harness-schema.ts';
import type { LlmToolTestReading } from './llm-tool-test-schema.ts';

/** Harnesses by the name of the variant, with the files that they were read from. */
export interface FoundHarnesses {
  readonly configs: Readonly<Record<string, HarnessConfig>>;
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** Finds the files of each harness and reads them. */
export async function findHarnesses(section: HarnessSection, reading: LlmToolTestReading): Promise<FoundHarnesses> {
  const configs: Record<string, HarnessConfig> = {};
  const files = new Map<string, readonly string[]>();
  if (section === undefined) return { configs, files };
  const { HarnessReader } = await import('./read-harness.ts');
  for (const [name, arm] of Object.entries(section)) {
    const reader = new HarnessReader(['harness', name], reading);
    if (arm !== null) configs[name] = await reader.read(arm);
    files.set(name, reader.files);
  }
  return { configs, files };
}

/** Each variant with each harness that is for its agent; refuses parts that an agent cannot be handed. */
export async function withHarnesses(
  variants: readonly Variant[],
  section: HarnessSection,
  { configs }: FoundHarnesses,
  { source, defaults, found }: LlmToolTestReading,
): Promise<readonly Variant[]> {
  if (section === undefined) return variants;
  const arms = Object.entries(section);
  for (const agent of new Set(variants.flatMap((variant) => variant.agent ?? []))) {
    const support = await defaults.harnessOf?.(agent);
    for (const [name] of support ? arms.filter(([, arm]) => isFor(arm, agent)) : []) {
      const parts = new Set(harnessItems(configs[name] ?? {}).map(({ part }) => part));
      for (const part of [...parts].filter((each) => !support?.parts.includes(each))) {
        const able = support?.parts ?? [];
        const hint = able.length === 0 ? limitHint : `Use ${listed(able)}. ${limitHint}`;
        const message = `the agent "${agent}" cannot be handed \`${part}\`, or could not be seen to have it`;
        found.problems.push({ at: source.locate(['harness', name, part]), message, hint });
      }
    }
  }
  return variants.flatMap((variant) =>
    arms.flatMap(([name, arm]) => (isFor(arm, variant.agent) ? [{ ...variant, harness: name }] : [])),
  );
}

const limitHint = 'Limit the harness to other agents with its key `agents`.';

function isFor(arm: HarnessArm | null, agent: string | undefined): boolean {
  return arm?.agents === undefined || [arm.agents].flat().includes(agent ?? '');
}
