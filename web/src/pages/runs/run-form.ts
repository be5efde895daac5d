import { type ArmPart, armParts } from '../../../../src/domain/arm-parts.ts';
import type { RunOptions } from '../../../../src/domain/option-values.ts';
import { type KeyOfWay, runOptions } from '../../../../src/domain/run-options/index.ts';
import { isInRange, type RunOption, rangeText } from '../../../../src/domain/run-options/run-option.ts';
import type { ScenarioItem } from '../../../../src/entry/server/api/project.ts';
import type { StartRun } from '../../../../src/entry/server/api/runs.ts';

/** The options that the form of a run has. */
export const formOptions: readonly RunOption[] = runOptions.filter(({ ways }) => ways.includes('form'));

/** The fields of a new run, as chosen and typed; absent: as the project's files and config have it. */
export type RunForm = { readonly [Key in KeyOfWay<'form'>]?: RunOptions[Key] | string | null };

export const emptyRunForm: RunForm = {};

/** The value of a field, undefined where it was left empty. */
function valueIn(form: RunForm, { key, value: { kind } }: RunOption): unknown {
  const value = form[key as keyof RunForm] ?? undefined;
  const typed = typeof value === 'string' && kind === 'names' ? listed(value) : value;
  if (kind === 'structure') return withoutEmpty(typed as Readonly<Record<string, readonly string[]>> | undefined);
  const plain = typeof typed === 'string' ? typed.trim() : typed;
  return plain === '' || (Array.isArray(plain) && plain.length === 0) ? undefined : plain;
}

function withoutEmpty(choice: Readonly<Record<string, readonly string[]>> = {}) {
  const chosen = Object.entries(choice).filter(([, names]) => names.length > 0);
  return chosen.length === 0 ? undefined : Object.fromEntries(chosen);
}

/** The problems of the form, by field. */
export function runFormProblems(form: RunForm): Readonly<Record<string, string>> {
  const problems = formOptions.flatMap((option): [string, string][] => {
    const value = valueIn(form, option);
    const range = rangeText(option.value);
    if (range === undefined || value === undefined || isInRange(option.value, Number(value))) return [];
    return [[option.key, `${range.charAt(0).toUpperCase()}${range.slice(1)}`]];
  });
  return Object.fromEntries(problems);
}

/** The request; what was left empty is left out. */
export function runWish(form: RunForm): StartRun {
  const values = formOptions.map((option) => [option.key, valueIn(form, option)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
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

/** The part of a scenario that decides the default of a new run. */
type KnownScenario = Pick<ScenarioItem, 'file' | 'changedAt' | 'last'>;

/** The files whose scenarios did not pass last, were changed since, or never ran; none where that is true of all or of none. */
export function usualFiles(scenarios: readonly KnownScenario[]): string[] {
  const files = new Set(scenarios.filter(isOpen).map(({ file }) => file));
  return files.size === new Set(scenarios.map(({ file }) => file)).size ? [] : [...files].sort();
}

function isOpen({ last, changedAt }: KnownScenario): boolean {
  return last === null || last.outcome === 'fail' || last.outcome === 'error' || (changedAt ?? 0) > last.startedAt;
}

/** How many trials the chosen scenarios have by their files, which is known before anything is counted. */
export function trialsInFiles(
  scenarios: readonly Pick<ScenarioItem, 'file' | 'tags' | 'name' | 'trials'>[],
  wish: Pick<StartRun, 'paths' | 'tags' | 'scenario'>,
): number {
  return chosenOf(scenarios, wish)
    .filter(({ name }) => wish.scenario === undefined || name === wish.scenario)
    .reduce((sum, { trials }) => sum + trials, 0);
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

/** The parts of a text between commas. */
export function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
