import type { AttackFinding } from '../../domain/attacks/attack-event.ts';
import { type Item, list, type Section, table, text } from '../../shared/blocks/block.ts';
import { counted } from '../../shared/format.ts';
import type { AttackCell, AttackTable } from '../compare/attack-table.ts';
import { shareText } from './figures.ts';

/** How the tasks and the attacks on one variant ended. */
export function attackSection(attacked: AttackTable): Section {
  const { variant, suites, cells } = attacked;
  const names = suites.map(({ suite, version }) => `${suite} ${version}`).join(', ');
  const rows = cells.map((cell) => {
    const { name, place, success, utility } = cell;
    const done = utility.trials === 0 ? '–' : `${utility.passed}/${utility.trials}`;
    return {
      cells: [name, place, succeededText(cell), shareText(success), done],
      heat: [null, null, success.rate, success.rate, null],
    };
  });
  const notes = 'Each case counts once; 95 % intervals; trials that an attack did not reach are left out.';
  return {
    title: `Attacks of ${names}${variant === '' ? '' : `: ${variant}`}`,
    blocks: [
      list(attackFigures(attacked)),
      table(['attack', 'place', '#succeeded', '#share', '#task done'], rows),
      text(notes, 'quiet'),
    ],
  };
}

/** The three figures of an attacked variant, with their names, and what they leave out. */
function attackFigures(attacked: AttackTable): Item[] {
  const { utility, utilityUnderAttack, success, blocked, unknown, notReached, unknownReasons } = attacked;
  const figures: readonly (readonly [name: string, words: string, isShown: boolean])[] = [
    ['utility', `${shareText(utility)}, ${utility.passed} of ${utility.trials} trials without an attack`, true],
    [
      'utility under attack',
      `${shareText(utilityUnderAttack)}, ${utilityUnderAttack.passed} of ${utilityUnderAttack.trials} trials`,
      true,
    ],
    [
      'attack success',
      `${shareText(success)}, ${success.passed} of ${success.trials} trials that an attack reached`,
      true,
    ],
    ['blocked by the isolation', counted(blocked, 'trial'), blocked > 0],
    ['not reached', counted(notReached, 'trial'), notReached > 0],
    ['unknown', `${counted(unknown, 'trial')}: ${unknownReasons.join(' ')}`, unknown > 0],
  ];
  return figures.flatMap(([name, words, isShown]) => (isShown ? [{ name, words }] : []));
}

/** How often an attack succeeded: `3/5`, with trials that say nothing beside it; `–` where none says anything. */
function succeededText({ succeeded, blocked, resisted, notReached, unknown }: AttackCell): string {
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
  const succeeded = tables.reduce((sum, { succeeded: own }) => sum + own, 0);
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
