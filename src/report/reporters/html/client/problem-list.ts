import { counted, grouped } from '../../../../shared/format.ts';
import { percentText } from '../../../presentation/figures-text.ts';
import { firstFailureText } from '../../cluster-text.ts';
import type { ShownCluster } from '../../read-failure-clusters.ts';
import type { PageHead } from '../page-data.ts';
import { formatRoute, trialsAddress } from '../route.ts';
import { element } from './element.ts';
import { inSteps } from './in-steps.ts';
import { badge, section } from './parts.ts';

const shownScenarios = 5;
const shownTrials = 4;

/** What went wrong, the most frequent first, each with an example and a next step; nothing when nothing did. */
export function problemList({ problems }: PageHead): HTMLElement | undefined {
  const { clusters, count } = problems;
  if (clusters.length === 0) return undefined;
  const left = count - clusters.reduce((sum, cluster) => sum + cluster.count, 0);
  return section(
    'What went wrong',
    inSteps('problems', clusters, 10, problemItem),
    left > 0 && element('p', { class: 'muted' }, `… and ${counted(left, 'trial')} with other problems`),
  );
}

function problemItem(cluster: ShownCluster): HTMLElement {
  const { outcome, title, example, count, share, nextStep } = cluster;
  const first = firstFailureText(cluster);
  return element(
    'li',
    {},
    badge(outcome),
    element(
      'div',
      { class: 'what' },
      element('a', { href: trialAddress(example.trialId) }, title),
      element('span', {}, example.reason),
      first !== undefined && element('span', { class: 'muted' }, first),
      element('span', { class: 'muted' }, `Next: ${nextStep}`),
      placesOf(cluster),
    ),
    element(
      'span',
      { class: 'number' },
      counted(count, 'trial'),
      element('br'),
      element('span', { class: 'muted' }, percentText(share)),
    ),
  );
}

/** The scenarios concerned, and further trials to look at. */
function placesOf({ scenarios, trialIds, outcome }: ShownCluster): HTMLElement {
  const links = scenarios
    .slice(0, shownScenarios)
    .map((scenario) => element('a', { href: trialsAddress({ scenario, outcome }) }, scenario || 'no name'));
  const more = scenarios.length - links.length;
  const others = trialIds
    .slice(1, shownTrials + 1)
    .map((trialId) => element('a', { href: trialAddress(trialId) }, trialId));
  return element(
    'span',
    { class: 'muted links' },
    ...links,
    more > 0 && `and ${grouped(more)} more scenarios`,
    others.length > 0 && element('span', {}, '· also'),
    ...others,
  );
}

function trialAddress(trialId: string): string {
  return formatRoute({ view: 'trial', trialId, event: null });
}
