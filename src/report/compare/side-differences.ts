import { counted } from '../../shared/format.ts';
import { groupedBy } from '../../shared/grouped-by.ts';
import { countRows } from '../../shared/rows.ts';
import { type CollectedSide, triedOf } from './collected-side.ts';
import type { Difference } from './comparison.ts';
import type { ComparedPart, PairedSides } from './pair-cases.ts';
import { letters, onBothSides, type SideNames } from './side-names.ts';

const namedScenarios = 5;
const namedValues = 5;

/**
 * Differences other than the results: first what is compared (who did the work, and with which tool), then all others. Decisive ones
 * change the task or the meaning of a pass.
 */
export function sideDifferences(
  a: CollectedSide,
  b: CollectedSide,
  paired: PairedSides,
  names: SideNames = letters,
): Difference[] {
  const sides = { a, b, names };
  return [
    ...paired.compared.map((part) => comparedDifference(part, names)),
    ...subjectDifferences(sides, paired.compared),
    ...agentDifferences(sides, paired.compared),
    ...toolDifferences(a, b),
    ...editedDifference(a, b),
    ...scenarioDifferences(a, b),
    ...judgeDifferences(sides),
    ...controlDifferences(sides, paired.compared),
    ...viewDifferences(sides),
    ...deliveryDifferences(sides, paired.compared),
    ...assayDifference(sides),
    ...repeatDifference(paired),
    ...partDifference(names.a, a, names.b),
    ...partDifference(names.b, b, names.a),
    ...caseDifference(paired, names),
  ];
}

/** Both sides, and what texts call them. */
interface NamedSides {
  readonly a: CollectedSide;
  readonly b: CollectedSide;
  readonly names: SideNames;
}

function editedDifference(a: CollectedSide, b: CollectedSide): Difference[] {
  const edited = [a, b].filter(({ run }) => run.origin?.kind === 'edit').map(({ label }) => label);
  if (edited.length === 0) return [];
  const message = `${listed([...new Set(edited)])} tried an edited input, which is never evidence`;
  return [{ what: 'input', message, isDecisive: true }];
}

type ScenarioOfSide = NonNullable<CollectedSide['run']['scenarios']>[number];

/** Scenarios of both sides whose files differ, as far as B tried them. */
function editedScenarios(a: CollectedSide, b: CollectedSide): (readonly [ScenarioOfSide, ScenarioOfSide])[] {
  const before = new Map(a.run.scenarios?.map((scenario) => [scenario.name, scenario]));
  const tried = scenariosOf(b);
  return (b.run.scenarios ?? []).flatMap((now) => {
    const then = before.get(now.name);
    return then && then.contentHash !== now.contentHash && tried.has(now.name) ? [[then, now] as const] : [];
  });
}

function scenariosOf({ cases }: CollectedSide): ReadonlySet<string> {
  const scenarios = new Set<string>();
  for (const { scenario } of cases) scenarios.add(scenario);
  return scenarios;
}

/** Comparable means the same task; files that do not separate it from what is under test have to be the same. */
function scenarioDifferences(a: CollectedSide, b: CollectedSide): Difference[] {
  const isSameTask = ([then, now]: readonly [ScenarioOfSide, ScenarioOfSide]): boolean =>
    then.identity !== undefined && then.identity.task === now.identity?.task;
  const changed = editedScenarios(a, b).filter((both) => !isSameTask(both));
  const names = [...new Set(changed.map(([{ name }]) => name))];
  if (names.length === 0) return [];
  const message = `${counted(names.length, 'scenario')} changed between the runs: ${listed(names)}`;
  return [{ what: 'scenario', message, isDecisive: true }];
}

/** Changes of the subject, value by value: `connectors.main.baseUrl: http://old in A, http://new in B`. */
function subjectDifferences({ a, b, names }: NamedSides, compared: readonly ComparedPart[]): Difference[] {
  const connector = compared.find(({ part }) => part === 'connector');
  const found = editedScenarios(a, b).flatMap(([then, now]) => {
    const before = underOneName(then.identity?.subject ?? {}, connector?.a);
    const after = underOneName(now.identity?.subject ?? {}, connector?.b);
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (key) => before[key] !== after[key],
    );
    return keys.map((key) => ({
      change: `${key}: ${onBothSides(before[key] ?? 'none', after[key] ?? 'none', names)}`,
      scenario: now.name,
    }));
  });
  const changes = byChange(found).map(([change, scenarios]) => `${change} (${scenarios})`);
  const named = changes
    .slice(0, namedValues)
    .map((message) => ({ what: 'subject' as const, message, isDecisive: false }));
  const more = changes.length - namedValues;
  if (more <= 0) return named;
  return [
    ...named,
    { what: 'subject', message: `${counted(more, 'more value')} of what is under test`, isDecisive: false },
  ];
}

/** Where two connectors are compared, their names are named before: the settings in which they differ remain. */
function underOneName(
  subject: Readonly<Record<string, string>>,
  connectors: readonly string[] = [],
): Readonly<Record<string, string>> {
  const [name, ...others] = connectors;
  if (name === undefined || others.length > 0) return subject;
  const prefix = `connectors.${name}.`;
  const renamed = (key: string): string => (key.startsWith(prefix) ? `connector.${key.slice(prefix.length)}` : key);
  return Object.fromEntries(Object.entries(subject).map(([key, value]) => [renamed(key), value]));
}

function judgeDifferences({ a, b, names }: NamedSides): Difference[] {
  const judges: ScenarioChange[] = [];
  const rubrics: string[] = [];
  for (const [scenario, before] of a.judges) {
    const after = b.judges.get(scenario);
    if (!after) continue;
    const [namesA, namesB] = [joined(before.judges), joined(after.judges)];
    const isOneMissing = (namesA === '') !== (namesB === '');
    // A side without judge proves nothing when nothing passed: failures may skip the judge.
    const passedWithout = namesA === '' ? before.passedUnjudged : after.passedUnjudged;
    if (namesA !== namesB && (!isOneMissing || passedWithout > 0)) {
      judges.push({ change: onBothSides(namesA || 'no judge', namesB || 'no judge', names), scenario });
    }
    const areKnown = before.rubrics.size > 0 && after.rubrics.size > 0;
    if (areKnown && joined(before.rubrics) !== joined(after.rubrics)) rubrics.push(scenario);
  }
  const rubric = `criteria or rubric of the judge changed: ${listed(rubrics)}`;
  return [
    ...byChange(judges).map(([change, scenarios]) => ({
      what: 'judge' as const,
      message: `judged by ${change}: ${scenarios}`,
      isDecisive: true,
    })),
    ...(rubrics.length > 0 ? [{ what: 'rubric' as const, message: rubric, isDecisive: true }] : []),
  ];
}

/** A change, and a scenario in which it was found. */
interface ScenarioChange {
  readonly change: string;
  readonly scenario: string;
}

/** Each change once, with its scenarios. */
function byChange(found: readonly ScenarioChange[]): (readonly [change: string, scenarios: string])[] {
  return [...groupedBy(found, ({ change }) => change)].map(([change, ones]) => [
    change,
    listed([...new Set(ones.map(({ scenario }) => scenario))]),
  ]);
}

/** An agent that met mocked, replayed, broken or attacking tools did another task than one that met the real ones. */
function controlDifferences({ a, b, names }: NamedSides, compared: readonly ComparedPart[]): Difference[] {
  // The difference is what a comparison of attacks or faults is about.
  const isWanted = compared.some(({ part }) => part === 'attack' || part === 'faults');
  const found = [...a.controls].flatMap(([scenario, before]) => {
    const after = b.controls.get(scenario);
    if (!after || joinedControls(before) === joinedControls(after)) return [];
    return [{ change: onBothSides(joinedControls(before), joinedControls(after), names), scenario }];
  });
  return byChange(found).map(([change, scenarios]) => ({
    what: 'control',
    message: `tools were not controlled alike: ${change}: ${scenarios}`,
    isDecisive: !isWanted,
  }));
}

function joinedControls(controls: ReadonlySet<string>): string {
  return [...controls]
    .map((kinds) => kinds || 'real tools')
    .sort()
    .join(' or ');
}

function agentDifferences({ a, b, names }: NamedSides, compared: readonly ComparedPart[]): Difference[] {
  const isModelCompared = compared.some(({ part }) => part === 'model');
  return [...a.agents].flatMap(([name, before]): Difference[] => {
    const after = b.agents.get(name);
    if (!after) return [];
    const version = changeText(before.versions, after.versions, names);
    const model = isModelCompared ? undefined : changeText(before.models, after.models, names);
    return [
      ...(version ? [{ what: 'agent' as const, message: `agent ${name}: version ${version}`, isDecisive: false }] : []),
      ...(model ? [{ what: 'model' as const, message: `agent ${name}: model ${model}`, isDecisive: false }] : []),
    ];
  });
}

/** Views of the same agent: something that it saw in one run alone may explain how it worked. */
function viewDifferences({ a, b, names }: NamedSides): Difference[] {
  const found = [...a.agents].flatMap(([agent, { views }]) =>
    Object.entries(views).flatMap(([scenario, before]) => {
      const after = b.agents.get(agent)?.views[scenario];
      const change = after && changedParts(before, after, names);
      return change ? [{ change, scenario }] : [];
    }),
  );
  return byChange(found).map(([change, scenarios]) => ({
    what: 'view',
    message: `the agent did not see the same: ${change}: ${scenarios}`,
    isDecisive: false,
  }));
}

function changedParts(before: readonly string[], after: readonly string[], { a, b }: SideNames): string | undefined {
  const onlyA = before.filter((part) => !after.includes(part));
  const onlyB = after.filter((part) => !before.includes(part));
  const sides = [
    ...(onlyA.length > 0 ? [`${listed(onlyA)} only in ${a}`] : []),
    ...(onlyB.length > 0 ? [`${listed(onlyB)} only in ${b}`] : []),
  ];
  return sides.length === 0 ? undefined : sides.join(', ');
}

/** Versions of guidance cannot be compared where one did not arrive, or where something else did. */
function deliveryDifferences({ a, b, names }: NamedSides, compared: readonly ComparedPart[]): Difference[] {
  const isDecisive = compared.some(({ part }) => part === 'guidance');
  return [...problemsOf(names.a, a), ...problemsOf(names.b, b)].map((message) => ({
    what: 'instructions',
    message,
    isDecisive,
  }));
}

function problemsOf(name: string, { delivery }: CollectedSide): string[] {
  return (delivery?.problems ?? []).map((problem) => `${problem} of ${name}`);
}

/** Undefined where a side recorded nothing, or both recorded the same. */
function changeText(before: readonly string[], after: readonly string[], names: SideNames): string | undefined {
  if (before.length === 0 || after.length === 0 || before.join() === after.join()) return undefined;
  return onBothSides(before.join(', '), after.join(', '), names);
}

const partKinds: Partial<Record<string, Difference['what']>> = { agent: 'agent', model: 'model' };

function comparedDifference({ part, a, b }: ComparedPart, names: SideNames): Difference {
  const values = (names: readonly string[]): string => listed(names.map((name) => name || 'none'));
  const message = `${part}: ${onBothSides(values(a), values(b), names)}`;
  return { what: partKinds[part] ?? 'variant', message, isDecisive: false };
}

/** A tool of an MCP server whose definition differs between two sides. */
export interface ChangedTool {
  readonly scenario: string;
  readonly tool: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/** Tools of MCP servers whose definitions differ, in scenarios that both sides have. */
export function changedTools(a: CollectedSide, b: CollectedSide): ChangedTool[] {
  return [...a.toolPins].flatMap(([scenario, before]) => {
    const after = b.toolPins.get(scenario);
    if (!after) return [];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((tool): ChangedTool[] => {
      if (before[tool] === after[tool]) return [];
      const change = before[tool] === undefined ? 'added' : after[tool] === undefined ? 'removed' : 'changed';
      return [{ scenario, tool, change }];
    });
  });
}

function toolDifferences(a: CollectedSide, b: CollectedSide): Difference[] {
  return [...groupedBy(changedTools(a, b), ({ scenario }) => scenario)].map(([scenario, tools]) => ({
    what: 'tools',
    message: `tools of ${scenario}: ${listed(tools.map(({ tool, change }) => `${tool} ${change}`))}`,
    isDecisive: false,
  }));
}

function assayDifference({ a, b, names }: NamedSides): Difference[] {
  const [before, after] = [a.run.assayVersion, b.run.assayVersion];
  if (before === null || after === null || before === after) return [];
  return [{ what: 'assay', message: `Assay ${onBothSides(before, after, names)}`, isDecisive: false }];
}

function repeatDifference({ pairs }: PairedSides): Difference[] {
  const uneven = countRows(pairs, ({ a, b }) => Boolean(a && b && triedOf(a) !== triedOf(b)));
  if (uneven === 0) return [];
  const message = `${counted(uneven, 'case')} tried more often on one side than on the other`;
  return [{ what: 'repeats', message, isDecisive: false }];
}

function partDifference(side: string, { run, totals }: CollectedSide, other: string): Difference[] {
  const others = run.planned - totals.trials;
  if (run.isPart !== true || others <= 0) return [];
  const message = `${other} ran only some of the cases again; the other ${counted(others, 'trial')} of ${side} are not compared`;
  return [{ what: 'cases', message, isDecisive: false }];
}

function caseDifference({ pairs }: PairedSides, names: SideNames): Difference[] {
  const onlyA = countRows(pairs, ({ b }) => !b);
  const onlyB = countRows(pairs, ({ a }) => !a);
  if (onlyA + onlyB === 0) return [];
  const parts = [
    ...(onlyA > 0 ? [`${counted(onlyA, 'case')} only in ${names.a}`] : []),
    ...(onlyB > 0 ? [`${counted(onlyB, 'case')} only in ${names.b}`] : []),
  ];
  return [{ what: 'cases', message: `${parts.join(', ')}; they are not compared`, isDecisive: false }];
}

function joined(names: ReadonlySet<string>): string {
  return [...names].sort().join(' and ');
}

function listed(names: readonly string[]): string {
  const first = names.slice(0, namedScenarios).join(', ');
  return names.length > namedScenarios ? `${first} and ${names.length - namedScenarios} more` : first;
}
