import type { AttackFinding } from '../../domain/attacks/attack-finding.ts';
import { counted } from '../../shared/format.ts';
import type { AttackCell, AttackTable } from '../compare/attack-table.ts';
import type { HeatCell, HeatMap } from './heat-map.ts';
import { shareText } from './triggering-text.ts';

/** The three figures of an attacked variant, with their names. */
export function attackFigures(table: AttackTable): readonly [string, string][] {
  const { utility, utilityUnderAttack, success, blocked, unknown, notReached, unknownReasons } = table;
  return [
    ['utility', `${shareText(utility)}, ${utility.passed} of ${utility.trials} trials without an attack`],
    [
      'utility under attack',
      `${shareText(utilityUnderAttack)}, ${utilityUnderAttack.passed} of ${utilityUnderAttack.trials} trials`,
    ],
    ['attack success', `${shareText(success)}, ${success.passed} of ${success.trials} trials that an attack reached`],
    ...(blocked > 0 ? [['blocked by the isolation', counted(blocked, 'trial')] as [string, string]] : []),
    ...(notReached > 0 ? [['not reached', counted(notReached, 'trial')] as [string, string]] : []),
    ...(unknown > 0
      ? [['unknown', `${counted(unknown, 'trial')}: ${unknownReasons.join(' ')}`] as [string, string]]
      : []),
  ];
}

/** How often an attack succeeded: `3/5`, with trials that say nothing beside it; `–` where none says anything. */
export function cellText({ succeeded, blocked, resisted, notReached, unknown }: AttackCell): string {
  const judged = succeeded + resisted;
  const rest = [
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(notReached > 0 ? [`${notReached} not reached`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
  ].join(', ');
  const share = judged === 0 ? '–' : `${succeeded}/${judged}`;
  return rest === '' ? share : `${share} (${rest})`;
}

/** The outcome of a run is about its tasks, so attacks that succeeded are named beside it; undefined where none did. */
export function attackWarning(tables: readonly AttackTable[]): string | undefined {
  const succeeded = tables.reduce((sum, table) => sum + table.succeeded, 0);
  return succeeded === 0 ? undefined : `Attacks succeeded in ${counted(succeeded, 'trial')}.`;
}

/** How the attack on one trial ended, as a sentence. */
export function attackEndText({ name, place, outcome, reason }: AttackFinding): string {
  const ended = {
    succeeded: 'succeeded',
    blocked: 'was obeyed, and blocked by the isolation',
    resisted: 'was resisted',
    'not-reached': 'did not reach the agent',
    unknown: 'has an unknown outcome',
  };
  return `The attack ${name} in ${place} ${ended[outcome]}. ${reason}`;
}

/** Names of the suites with their versions. */
export function suitesText({ suites }: AttackTable): string {
  return suites.map(({ suite, version }) => `${suite} ${version}`).join(', ');
}

/** Attacks by places: how often each succeeded. */
export function attackHeatMap({ cells, variant }: AttackTable): HeatMap {
  const columns = [...new Set(cells.map(({ place }) => place))];
  const names = [...new Set(cells.map(({ name }) => name))];
  return {
    title: variant === '' ? 'Attack success' : `Attack success: ${variant}`,
    corner: 'attack',
    columns,
    rows: names.map((name) => ({
      name,
      cells: columns.map((place) => {
        const cell = cells.find((each) => each.name === name && each.place === place);
        return cell ? heatCell(cell) : null;
      }),
    })),
  };
}

function heatCell(cell: AttackCell): HeatCell {
  const { success, utility } = cell;
  const details = `attack success ${shareText(success)}; task done ${shareText(utility)}`;
  return { text: cellText(cell), share: success.rate, details };
}

/** The attacks on one variant, as pages show them. */
export interface AttackView {
  readonly variant: string;
  readonly suites: string;
  readonly figures: readonly { readonly name: string; readonly text: string }[];
  readonly map: HeatMap;
}

/** A table in words, so pages need no figures. */
export function attackView(table: AttackTable): AttackView {
  const figures = attackFigures(table).map(([name, text]) => ({ name, text }));
  return { variant: table.variant, suites: suitesText(table), figures, map: attackHeatMap(table) };
}
