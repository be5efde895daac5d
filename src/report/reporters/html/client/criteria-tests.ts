import { counted, formatDuration } from '../../../../shared/format.ts';
import type { CriteriaTest, ScenarioPerformance } from '../../criteria-report.ts';
import type { PageHead } from '../page-data.ts';
import { formatRoute } from '../route.ts';
import { badge, type Child, element, scrolling, section } from './elements.ts';

/** Each test with the counts of its criteria, and the times of the tests; nothing for a run without criteria. */
export function criteriaTests({ criteria }: PageHead): HTMLElement | undefined {
  if (!criteria) return undefined;
  const { tests, performance, isCut } = criteria;
  return section(
    'Tests',
    scrolling('Tests', tableOf(['Outcome', 'Test', 'Criteria', 'Time'], tests.map(testCells))),
    isCut && element('p', { class: 'muted' }, `Only the first ${counted(tests.length, 'test')} of the run.`),
    performance.length > 0 && element('h3', {}, 'Performance'),
    performance.length > 0 &&
      scrolling(
        'Performance',
        tableOf(['Scenario', 'Tests', 'Mean', 'Median', 'p95', 'Slowest'], performance.map(performanceCells)),
      ),
  );
}

function testCells({ trialId, title, outcome, counts, durationMs }: CriteriaTest): Child[] {
  const href = formatRoute({ view: 'trial', trialId, event: null });
  return [badge(outcome), element('a', { href }, title), counts, formatDuration(durationMs)];
}

function performanceCells({ scenario, tests, ...times }: ScenarioPerformance): Child[] {
  const { meanMs, medianMs, p95Ms, slowestMs } = times;
  return [scenario, String(tests), ...[meanMs, medianMs, p95Ms, slowestMs].map(formatDuration)];
}

function tableOf(head: readonly string[], rows: readonly (readonly Child[])[]): HTMLElement {
  return element(
    'table',
    { class: 'repeats' },
    element('thead', {}, element('tr', {}, ...head.map((text) => element('th', { scope: 'col' }, text)))),
    element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell))))),
  );
}
