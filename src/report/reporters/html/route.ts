import { outcomes } from './page-data.ts';
import { everything, sortKeys, type TrialFilter } from './trial-row.ts';

/** A view of the page; each has its own address after the `#`. */
export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'comparison' }
  | { readonly view: 'variants' }
  | { readonly view: 'trials' | 'cases'; readonly filter: TrialFilter }
  | { readonly view: 'trial'; readonly trialId: string; readonly event: number | null };

/** The view that an address names; an address that names none is the overview. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view, id] = path.split('/', 2);
  const parameters = new URLSearchParams(query);
  if (view === 'trials' || view === 'cases') return { view, filter: parseFilter(parameters) };
  if (view === 'comparison' || view === 'variants') return { view };
  if (view === 'trial' && id) return { view, trialId: decoded(id), event: eventNumber(parameters.get('event')) };
  return { view: 'overview' };
}

/** The address of a view. */
export function formatRoute(route: Route): string {
  if (route.view === 'overview') return '#/';
  if (route.view === 'comparison' || route.view === 'variants') return `#/${route.view}`;
  if (route.view === 'trial') {
    const event = route.event === null ? '' : `?event=${route.event}`;
    return `#/trial/${encodeURIComponent(route.trialId)}${event}`;
  }
  const query = filterQuery(route.filter);
  return `#/${route.view}${query === '' ? '' : `?${query}`}`;
}

/** The address of the list under some conditions. */
export function trialsAddress(conditions: Partial<TrialFilter>): string {
  return formatRoute({ view: 'trials', filter: { ...everything, ...conditions } });
}

function filterQuery(filter: TrialFilter): string {
  const parameters = new URLSearchParams();
  if (filter.outcome !== null) parameters.set('outcome', filter.outcome);
  if (filter.scenario !== null) parameters.set('scenario', filter.scenario);
  if (filter.variant !== null) parameters.set('variant', filter.variant);
  if (filter.search !== '') parameters.set('search', filter.search);
  if (filter.sort !== 'plan') parameters.set('sort', filter.sort);
  if (filter.isDescending) parameters.set('order', 'descending');
  return parameters.toString();
}

function parseFilter(parameters: URLSearchParams): TrialFilter {
  return {
    outcome: outcomes.find((outcome) => outcome === parameters.get('outcome')) ?? null,
    scenario: parameters.get('scenario'),
    variant: parameters.get('variant'),
    search: parameters.get('search') ?? '',
    sort: sortKeys.find((key) => key === parameters.get('sort')) ?? 'plan',
    isDescending: parameters.get('order') === 'descending',
  };
}

function eventNumber(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
