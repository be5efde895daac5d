import { type ArmPart, armParts } from '../../../../src/domain/arm-parts.ts';
import type { ScenarioItem } from '../../../../src/entry/server/api/project.ts';
import type { StartRun } from '../../../../src/entry/server/api/runs.ts';

/** The fields of a new run, as chosen and typed. */
export interface RunForm {
  readonly paths: readonly string[];
  readonly tags: readonly string[];
  readonly agents: readonly string[];
  readonly connectors: readonly string[];
  /** Chosen variants by part; empty: all. */
  readonly arms: Readonly<Partial<Record<ArmPart, readonly string[]>>>;
  /** Separated by commas. */
  readonly models: string;
  readonly repeat: number | null;
  readonly concurrency: number | null;
  readonly maxUsd: number | null;
  readonly name: string;
  readonly isJudged: boolean;
}

/** As the project's files and config have it. */
export const emptyRunForm: RunForm = {
  paths: [],
  tags: [],
  agents: [],
  connectors: [],
  arms: {},
  models: '',
  repeat: null,
  concurrency: null,
  maxUsd: null,
  name: '',
  isJudged: true,
};

/** The problems of the form, by field. */
export function runFormProblems(form: RunForm): { repeat?: string; concurrency?: string; maxUsd?: string } {
  return {
    ...(isCount(form.repeat) ? {} : { repeat: 'A whole number from 1 to 1,000' }),
    ...(isCount(form.concurrency) ? {} : { concurrency: 'A whole number from 1 to 1,000' }),
    ...(form.maxUsd === null || form.maxUsd > 0 ? {} : { maxUsd: 'More than 0' }),
  };
}

/** The request; what was left empty is left out. */
export function runWish(form: RunForm): StartRun {
  const { paths, tags, agents, connectors } = form;
  const chosen = Object.entries({ paths, tags, agents, connectors, models: listed(form.models) });
  const name = form.name.trim();
  const arms = Object.entries(form.arms).filter(([, names]) => names.length > 0);
  return {
    ...Object.fromEntries(chosen.filter(([, names]) => names.length > 0)),
    ...(arms.length === 0 ? {} : { arms: Object.fromEntries(arms) }),
    ...(form.repeat === null ? {} : { repeat: form.repeat }),
    ...(form.concurrency === null ? {} : { concurrency: form.concurrency }),
    ...(form.maxUsd === null ? {} : { maxUsd: form.maxUsd }),
    ...(name === '' ? {} : { name }),
    ...(form.isJudged ? {} : { judge: false }),
  };
}

/** Scenarios of some files, or with some tags; empty: all. */
function chosenOf<Item extends Pick<ScenarioItem, 'file' | 'tags'>>(
  scenarios: readonly Item[],
  { paths = [], tags = [] }: Pick<StartRun, 'paths' | 'tags'>,
): Item[] {
  return scenarios.filter(
    ({ file, tags: own }) =>
      (paths.length === 0 || paths.includes(file)) && (tags.length === 0 || tags.some((tag) => own.includes(tag))),
  );
}

/** Parts that the chosen scenarios vary, with the names of their variants; one name alone is not a choice. */
export function armsIn(
  scenarios: readonly Pick<ScenarioItem, 'file' | 'tags' | 'arms'>[],
  wish: Pick<StartRun, 'paths' | 'tags'>,
): { readonly part: ArmPart; readonly names: readonly string[] }[] {
  const chosen = chosenOf(scenarios, wish);
  return armParts
    .map((part) => ({ part, names: [...new Set(chosen.flatMap(({ arms }) => arms[part] ?? []))] }))
    .filter(({ names }) => names.length > 1);
}

/** Parts that the chosen scenarios can be run with. */
export interface RunnableParts {
  readonly hasAgents: boolean;
  readonly hasConnectors: boolean;
  readonly hasModels: boolean;
}

/** Who takes part in the scenarios of some files, or with some tags; empty: of all. */
export function partsOf(
  scenarios: readonly Pick<ScenarioItem, 'file' | 'tags' | 'target'>[],
  wish: Pick<StartRun, 'paths' | 'tags'>,
): RunnableParts {
  const targets = chosenOf(scenarios, wish).map(({ target }) => target);
  const hasConnectors = targets.includes('conversation');
  const hasAgents = targets.some((target) => target === 'cli-tool' || target.endsWith('workflow'));
  return { hasAgents, hasConnectors, hasModels: hasAgents || hasConnectors };
}

function isCount(value: number | null): boolean {
  return value === null || (Number.isInteger(value) && value >= 1 && value <= 1_000);
}

/** The parts of a text between commas. */
export function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
