import type { Variant } from '../../../../domain/trial.ts';
import type { CliToolDefaults } from '../../scenario-format.ts';
import { type ChoiceProblem, chooseVariants } from '../llm-tool-test/variants.ts';

/** Who drives workflows when nobody is named. */
const usualModel = 'anthropic/claude-sonnet-4-5';

/** The wording that a server gives its tools itself. */
export const ownWording = 'original';

/** What a config says of who drives its workflows, and of the wordings that are tried. */
export interface DriverSections {
  readonly model?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly wordings: Readonly<Record<string, unknown>>;
}

/** Who drives a workflow, under which wordings of the tools. */
export interface Drivers {
  readonly isAgentDriven: boolean;
  readonly variants: readonly Variant[];
  readonly problems: readonly ChoiceProblem[];
}

const nobodyAsked: CliToolDefaults = {
  fixturesFolders: [],
  agents: undefined,
  models: undefined,
  profile: undefined,
  profiles: {},
  tools: {},
  defaultAgent: '',
};

/** Agents or models, as the command line says, else the config; each with each wording. */
export function chooseDrivers(sections: DriverSections, asked: CliToolDefaults = nobodyAsked): Drivers {
  const written = sections.models ?? (sections.model === undefined ? undefined : [sections.model]);
  const agents = asked.agents ?? (sections.agents?.length ? sections.agents : undefined);
  const models = asked.models ?? written;
  const wordings = wordingNames(sections);
  if (agents === undefined && asked.profile === undefined) {
    const drivers = (models?.length ? models : [usualModel]).map((model) => ({ model }));
    return { isAgentDriven: false, variants: combined(drivers, wordings), problems: [] };
  }
  const { variants, problems } = chooseVariants({ agents, models }, asked, []);
  return { isAgentDriven: true, variants: combined(variants, wordings), problems };
}

function wordingNames({ wordings }: DriverSections): string[] {
  const names = Object.keys(wordings);
  return names.length === 0 || names.includes(ownWording) ? names : [ownWording, ...names];
}

function combined(drivers: readonly Variant[], wordings: readonly string[]): Variant[] {
  const worded = wordings.length > 0 ? wordings.map((description) => ({ description })) : [{}];
  const variants = drivers.flatMap((driver) => worded.map((wording) => ({ ...driver, ...wording })));
  // A trial is known by its variant, so that one that is named twice would be one trial.
  return [...new Map(variants.map((variant) => [JSON.stringify(variant), variant])).values()];
}
