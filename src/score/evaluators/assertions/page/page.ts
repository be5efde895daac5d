import { type PageState, pageType } from '../../../../domain/browser.ts';
import { AssayError } from '../../../../domain/errors.ts';
import { eventsOf } from '../../../../domain/trace.ts';
import { capitalized, counted } from '../../../../shared/format.ts';
import { defineEvaluator } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import { compileWanted, type Difference } from '../tool-use/match-call.ts';
import { keyOfLook, lookOf, nameOfLook, type PageConfig, pageConfigSchema } from './page-config.ts';

/** The page in the browser of an agent, as Assay read it afterwards. */
export const page = defineEvaluator({
  type: pageType,
  kind: 'assertion',
  summary: 'address, elements, text and storage of a page in the browser, when the agent has ended',
  example: { url: { contains: '/orders' }, selector: '.order', text: { contains: 'Cancelled' } },
  // A page is read as a whole: a loss hides what is there and what is not.
  reads: { channels: { page: 'exact' } },
  configSchema: pageConfigSchema,
  prepare(config) {
    const key = keyOfLook(lookOf(config));
    const checks = compileChecks(config);
    return ({ trace }) => {
      const found = eventsOf(trace, 'page-state').find((event) => event.key === key);
      if (!found) throw notRead(config);
      if (found.cut && (config.text !== undefined || config.selector !== undefined)) throw tooMuch(found);
      const problem = checks.flatMap((check) => check(found) ?? [])[0];
      const metadata = { url: found.url, ...(found.screenshot && { screenshot: found.screenshot }) };
      if (problem !== undefined) return { state: 'fail', reason: shortened(problem), value: 0, metadata };
      return { state: 'pass', reason: `As wanted: ${shortened(found.url)}`, value: 1, metadata };
    };
  },
});

/** Returns what is wrong with a page. */
type Check = (state: PageState) => string | undefined;

function compileChecks(config: PageConfig): Check[] {
  const { url, title, cookies, localStorage } = config;
  const checks: Check[] = [];
  const add = (wanted: unknown, place: string, read: (state: PageState) => unknown): void => {
    if (wanted === undefined) return;
    const difference = compileWanted(wanted);
    checks.push((state) => difference(read(state), place));
  };
  add(url, 'the address', (state) => state.url);
  add(title, 'the title', (state) => state.title);
  checks.push(...compileElements(config));
  add(cookies && absences(cookies), 'cookies', (state) => present(state.cookies));
  add(localStorage && absences(localStorage), 'localStorage', (state) => present(state.localStorage));
  return checks;
}

/** With the word of matchers for what is not there. */
function absences(wanted: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [name, value === null ? { present: false } : value]),
  );
}

function present(found: Readonly<Record<string, string | null>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));
}

function compileElements({ selector, count, hidden, text }: PageConfig): Check[] {
  const textIs = text === undefined ? undefined : compileWanted(text);
  if (selector === undefined) return textIs ? [(state) => textIs(state.text, 'the text of the page')] : [];
  const countIs = compileWanted(count ?? { gte: 1 });
  const matched = ({ elements = [] }: PageState) => elements.filter(({ visible }) => visible || hidden);
  const named = `elements that match ${selector}`;
  const noneWanted = countIs(0, '') === undefined;
  return [
    (state) => countIs(matched(state).length, `the number of ${named}`),
    (state) => textIs && textOfAny(matched(state), textIs, named, noneWanted),
  ];
}

function textOfAny(
  elements: readonly { readonly text: string }[],
  textIs: Difference,
  named: string,
  noneWanted: boolean,
): string | undefined {
  if (elements.length === 0 && noneWanted) return undefined;
  const differences = elements.map(({ text }) => textIs(text, 'text'));
  if (differences.includes(undefined)) return undefined;
  return `of ${counted(elements.length, 'element')} none has the text: ${differences[0] ?? named}`;
}

function notRead(config: PageConfig): AssayError {
  return new AssayError('NOT_OBSERVED', `${capitalized(nameOfLook(config))} was not read in this trial.`, {
    hint: 'Add a `browser` to the scenario, or run the trial again: one that is over has only the pages that were read then.',
  });
}

function tooMuch({ page: name }: PageState): AssayError {
  return new AssayError('NOT_OBSERVED', `${capitalized(name)} has more text or elements than are read.`, {
    hint: 'Name fewer elements with `selector`, or open a smaller page.',
  });
}
