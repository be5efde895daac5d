import * as z from 'zod';
import { type HarnessConfig, harnessItems } from '../../../../domain/harness.ts';
import type { Variant } from '../../../../domain/variant.ts';
import { listed } from '../../../../shared/suggest.ts';
import type { LlmToolTestReading } from './llm-tool-test-schema.ts';

const paths = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional();
const data = z.union([z.string().min(1), z.record(z.string(), z.unknown())]).optional();

const armSchema = z
  .strictObject({
    plugins: paths.describe('folders of plug-ins or extensions'),
    hooks: data.describe('hooks by event, a file with them, or a folder with `hooks.json` and scripts'),
    subagents: paths.describe('Markdown files of sub-agents, or folders of them'),
    permission_mode: z.string().min(1).optional().describe('permission mode of the agent, in its own word'),
    settings: data.describe('settings of the agent in its own form, or a file with them'),
    agents: paths.describe('agents that get it; all without it'),
  })
  .refine(({ agents: _agents, ...parts }) => Object.values(parts).some((part) => part !== undefined), {
    error: 'a harness needs at least one part; write `null` for none',
  })
  .nullable();

export const harnessSectionSchema = z
  .record(z.string().min(1), armSchema)
  .refine((arms) => Object.keys(arms).length > 0, 'name at least one harness')
  .optional()
  .describe(
    'how the agent is set up, one variant each: plug-ins, hooks, sub-agents, permission mode and settings; null for none',
  );
export type HarnessSection = z.output<typeof harnessSectionSchema>;
export type HarnessArm = NonNullable<z.output<typeof armSchema>>;

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
        const hint = able.length === 0 ? 'It can be handed no part of a harness.' : `It can be handed ${listed(able)}.`;
        const message = `the agent "${agent}" cannot be handed \`${part}\`, or could not be seen to have it`;
        found.problems.push({ at: source.locate(['harness', name, part]), message, hint: `${hint} ${limitHint}` });
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
