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

/** The texts among the parameters that a page knows; whatever else stands there is ignored. */
function texts<Key extends string>(raw: RawSearch, keys: readonly Key[]): { [K in Key]?: string | undefined } {
  const found: { [K in Key]?: string | undefined } = {};
  for (const key of keys) {
    const value = raw[key];
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text === 'string' && text !== '') found[key] = text;
  }
  return found;
}

/** One of the words that are allowed, or nothing. */
function oneOf<Word extends string>(value: string | undefined, words: readonly Word[]): Word | undefined {
  return words.find((word) => word === value);
}

/** The name of an event as judges and the command line have it (`e1` is the first), or nothing. */
function eventNamed(value: string | undefined): string | undefined {
  const [, number] = /^e?([1-9]\d{0,8})$/.exec(value ?? '') ?? [];
  return number && `e${number}`;
}

const directions = ['asc', 'desc'] as const;

/** Of the list of runs. */
export function runsSearch(raw: RawSearch) {
  const { status, order, direction, archived, ...rest } = texts(raw, [
    'text',
    'status',
    'order',
    'direction',
    'archived',
  ]);
  return {
    ...rest,
    ...optionalEntry('archived', oneOf(archived, ['true'])),
    ...optionalEntry('status', oneOf(status, ['running', 'paused', 'finished', 'interrupted'])),
    ...optionalEntry('order', oneOf(order, ['started', 'duration', 'cost', 'passRate'])),
    ...optionalEntry('direction', oneOf(direction, directions)),
  };
}

export type RunsSearch = ReturnType<typeof runsSearch>;

const runTexts = [
  'outcome',
  'scenario',
  'variant',
  'text',
  'sort',
  'columns',
  'where',
  'rater',
  'view',
  'cluster',
] as const;
const runWords = ['regex', 'differs', 'order', 'direction'] as const;

/** Of a run: whether its cases or its trials are listed, which of them, with which columns and in which order. */
export function runSearch(raw: RawSearch) {
  const { regex, differs, order, direction, ...rest } = texts(raw, [...runTexts, ...runWords]);
  return {
    ...rest,
    ...optionalEntry('regex', oneOf(regex, ['true'])),
    ...optionalEntry('differs', oneOf(differs, ['true'])),
    ...optionalEntry('order', oneOf(order, ['plan', 'started', 'duration', 'cost'])),
    ...optionalEntry('direction', oneOf(direction, directions)),
  };
}

export type RunSearch = ReturnType<typeof runSearch>;

/** Of a trial: the event to go to with what is quoted of it, and what is looked for and shown of the trace. */
export function trialSearch(raw: RawSearch) {
  const { event, ...rest } = texts(raw, ['event', 'quote', 'text', 'type', 'tab', 'view']);
  return { ...rest, ...optionalEntry('event', eventNamed(event)) };
}

export type TrialSearch = ReturnType<typeof trialSearch>;

/** Of a comparison: two runs, several, or two variants of one. */
export function compareSearch(raw: RawSearch) {
  const { by, ...rest } = texts(raw, ['a', 'b', 'by', 'valueA', 'valueB', 'runs', 'tab', 'left', 'right', 'force']);
  return {
    ...rest,
    ...optionalEntry(
      'by',
      oneOf(by, ['agent', 'model', 'guidance', 'skills', 'connector', 'persona', 'description', 'surface', 'faults']),
    ),
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

/** Of the labelling of trials. */
export function reviewSearch(raw: RawSearch) {
  return texts(raw, ['run', 'rater', 'trial', 'tab']);
}

function optionalEntry<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value | undefined } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: Value });
}
