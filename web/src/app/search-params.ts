/** The search parameters of an address, as text. */
type RawSearch = Readonly<Record<string, unknown>>;

/** Addresses as people know them: every value is a text, and stands there as it is. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** The counterpart of `parseSearch`; what is undefined or empty is left out. */
export function stringifySearch(search: RawSearch): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== '') parameters.set(key, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

type Texts<Key extends string> = { [K in Key]?: string | undefined };

/** The texts among the parameters that a page knows; whatever else stands there is ignored. */
function texts<Key extends string>(raw: RawSearch, keys: readonly Key[]): Texts<Key> {
  const found: Texts<Key> = {};
  for (const key of keys) {
    const value = raw[key];
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text === 'string' && text !== '') found[key] = text;
  }
  return found;
}

/** The parameters that have one of the words that are allowed. */
function words<const Allowed extends Readonly<Record<string, readonly string[]>>>(raw: RawSearch, allowed: Allowed) {
  const found = Object.entries(texts(raw, Object.keys(allowed))).filter(([key, value]) =>
    allowed[key]?.some((word) => word === value),
  );
  return Object.fromEntries(found) as { [K in keyof Allowed]?: Allowed[K][number] | undefined };
}

/** The name of an event as judges and the command line have it (`e1` is the first), or nothing. */
function eventNamed(value: string | undefined): string | undefined {
  const [, number] = /^e?([1-9]\d{0,8})$/.exec(value ?? '') ?? [];
  return number && `e${number}`;
}

const directions = ['asc', 'desc'] as const;

/** Of the list of runs. */
export function runsSearch(raw: RawSearch) {
  return {
    ...texts(raw, ['text']),
    ...words(raw, {
      archived: ['true'],
      status: ['running', 'paused', 'finished', 'interrupted'],
      order: ['started', 'duration', 'cost', 'passRate'],
      direction: directions,
    }),
  };
}

export type RunsSearch = ReturnType<typeof runsSearch>;

/** Of a run: how its results are listed, which of them, with which columns and in which order, and the trial beside them. */
export function runSearch(raw: RawSearch) {
  return {
    ...texts(raw, ['outcome', 'scenario', 'variant', 'cluster', 'text', 'where', 'figure']),
    ...texts(raw, ['sort', 'columns', 'rater', 'view', 'trial']),
    ...words(raw, {
      regex: ['true'],
      differs: ['true'],
      order: ['plan', 'started', 'duration', 'cost'],
      direction: directions,
    }),
  };
}

export type RunSearch = ReturnType<typeof runSearch>;

const trialTexts = ['event', 'quote', 'text', 'type', 'tab', 'view'] as const;

/** Of a trial: the event to go to with what is quoted of it, and what is looked for and shown of the trace. */
export function trialSearch(raw: RawSearch): Texts<(typeof trialTexts)[number]> {
  const { event, ...rest } = texts(raw, trialTexts);
  const name = eventNamed(event);
  return name === undefined ? rest : { ...rest, event: name };
}

export type TrialSearch = ReturnType<typeof trialSearch>;

/** Parts of variants that sides are compared by, in the order in which they are offered. */
export const comparedParts = [
  ...(['guidance', 'skills', 'harness', 'model', 'agent', 'connector'] as const),
  ...(['persona', 'description', 'surface', 'faults', 'approvals'] as const),
] as const;

/** Of a comparison: two runs, several, or two variants of one. */
export function compareSearch(raw: RawSearch) {
  return {
    ...texts(raw, ['a', 'b', 'valueA', 'valueB', 'runs', 'tab', 'left', 'right', 'force']),
    ...words(raw, { by: comparedParts }),
  };
}

export type CompareSearch = ReturnType<typeof compareSearch>;

/** Of lists that can be searched. */
export function listSearch(raw: RawSearch) {
  return texts(raw, ['text', 'tag', 'target', 'order', 'direction', 'name', 'new']);
}

export type ListSearch = ReturnType<typeof listSearch>;

/** Of an editor: the file, or that a new one is made. */
export function editorSearch(raw: RawSearch) {
  return texts(raw, ['file', 'new', 'view', 'scenario']);
}

/** Of the settings: the overview, or the config file. */
export function settingsSearch(raw: RawSearch) {
  return texts(raw, ['tab']);
}

/** Of a session with an MCP server: what is looked at. */
export function workbenchSearch(raw: RawSearch) {
  return texts(raw, ['tab', 'item']);
}

/** Of collected traces: the period. */
export function tracesSearch(raw: RawSearch) {
  return texts(raw, ['run']);
}

/** Of the labelling of trials. */
export function reviewSearch(raw: RawSearch) {
  return texts(raw, ['run', 'rater', 'trial', 'tab']);
}
