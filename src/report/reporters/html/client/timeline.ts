import type { Trace, TraceEvent } from '../../../../domain/trace.ts';
import { counted, formatDuration, grouped } from '../../../../shared/format.ts';
import { type EventBlock, type EventView, eventView } from '../../../presentation/event-view.ts';
import { isOfKinds, readSearch } from '../../../presentation/trace-search.ts';
import { formatRoute } from '../route.ts';
import { element, replaceChildren, section, shape } from './elements.ts';
import { diffBlock } from './file-changes.ts';

const step = 400;
const longestSpeech = 3_000;

interface Entry {
  readonly number: number;
  readonly event: TraceEvent;
  readonly view: EventView;
}

/** The events of a trial in order; each opens, all can be searched. */
export class Timeline {
  readonly element: HTMLElement;
  readonly #trialId: string;
  readonly #entries: readonly Entry[];
  readonly #lengthMs: number;
  /** An imported trace may have no times. */
  readonly #isTimed: boolean;
  readonly #list = element('ol', { class: 'timeline' });
  readonly #count = element('span', { class: 'muted', role: 'status' });
  readonly #search = element('input', {
    type: 'search',
    placeholder: 'Search the trace',
    'aria-label': 'Search the trace',
    oninput: () => this.#find(),
  });
  readonly #more = element('button', { type: 'button', class: 'more', onclick: () => this.#add(step) });
  #found: readonly Entry[] = [];
  #added = 0;

  constructor(trace: Trace, trialId: string) {
    this.#trialId = trialId;
    this.#entries = trace.map((event, index) => ({ number: index + 1, event, view: eventView(event) }));
    this.#isTimed = trace.some(({ at }) => at > 0);
    this.#lengthMs = trace.reduce((longest, { at }) => Math.max(longest, at), 1);
    const toggle = (isOpen: boolean) => () => {
      for (const details of this.#list.querySelectorAll('details')) details.open = isOpen;
    };
    const openAll = element('button', { type: 'button', class: 'quiet', onclick: toggle(true) }, 'Open all');
    const closeAll = element('button', { type: 'button', class: 'quiet', onclick: toggle(false) }, 'Close all');
    const tools = element('div', { class: 'tools' }, this.#search, this.#count, openAll, closeAll);
    this.element = section('Trace', tools, this.#list, this.#more);
    this.#find();
  }

  /** Opens an event by its number and brings it into view; a search that hides it is given up. */
  open(number: number): void {
    if (!this.#found.some((entry) => entry.number === number)) {
      this.#search.value = '';
      this.#find();
    }
    const position = this.#found.findIndex((entry) => entry.number === number);
    if (position < 0) return;
    this.#add(position + 1 - this.#added);
    const item = this.#list.children[position];
    const details = item?.querySelector('details');
    if (details) details.open = true;
    for (const other of this.#list.querySelectorAll('.wanted')) other.classList.remove('wanted');
    item?.classList.add('wanted');
    item?.scrollIntoView({ block: 'center' });
  }

  focusSearch(): void {
    this.#search.focus();
  }

  #find(): void {
    const wanted = this.#search.value.trim();
    const search = readSearch(wanted);
    const isFound = (entry: Entry): boolean =>
      isOfKinds(entry.event, search) && searchedText(entry).includes(search.text);
    this.#found = wanted === '' ? this.#entries : this.#entries.filter(isFound);
    const all = counted(this.#entries.length, 'event');
    this.#count.textContent = wanted === '' ? all : `${grouped(this.#found.length)} of ${all}`;
    replaceChildren(this.#list);
    this.#added = 0;
    this.#add(step);
  }

  #add(count: number): void {
    const next = this.#found.slice(this.#added, this.#added + Math.max(count, 0));
    this.#list.append(...next.map((entry) => this.#item(entry)));
    this.#added += next.length;
    const left = this.#found.length - this.#added;
    this.#more.hidden = left === 0;
    this.#more.textContent = `Show ${grouped(Math.min(left, step))} more events`;
  }

  #item({ number, event, view }: Entry): HTMLElement {
    const { label, line, blocks, isProblem, isSpeech } = view;
    const href = formatRoute({ view: 'trial', trialId: this.#trialId, event: number });
    const head = [
      element('a', { href, class: 'number-link', 'aria-label': `Link to event ${number}` }, `e${number}`),
      element('span', { class: 'at' }, formatDuration(this.#isTimed ? event.at : null)),
      element('span', { class: 'label', title: `observed by the ${event.seenBy}` }, label),
    ];
    const kind = `event ${event.type}${isProblem ? ' problem' : ''}${isSpeech ? ` speech ${label}` : ''}`;
    const text = blocks[0]?.text ?? line;
    if (isSpeech && text.length <= longestSpeech)
      return element('li', { class: kind }, ...head, element('div', { class: 'speech-text' }, text));
    const title = element('span', { class: blocks.length === 0 ? 'line whole' : 'line' }, line);
    const timing = this.#timing(event, view.durationMs);
    if (blocks.length === 0)
      return element('li', { class: kind }, ...head, element('div', { class: 'only' }, title, timing));
    return element('li', { class: kind }, ...head, opening(element('summary', {}, title, timing), blocks));
  }

  /** When it happened and how long it took, as a bar on the time of the whole trial; an event is recorded when it ends. */
  #timing({ type, at }: TraceEvent, durationMs: number | undefined): HTMLElement | undefined {
    if (durationMs === undefined)
      return type === 'tool-result' || type === 'script'
        ? element('span', { class: 'timing' }, formatDuration(null))
        : undefined;
    const share = (ms: number): number => Math.min(100, Math.max(0, (ms / this.#lengthMs) * 100));
    const start = share(at - durationMs);
    const bar = {
      x: Math.min(start, 99),
      y: 0,
      width: Math.max(1, Math.min(share(durationMs), 100 - start)),
      height: 6,
    };
    return element(
      'span',
      { class: 'timing' },
      shape('svg', { viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, shape('rect', bar)),
      element('span', {}, formatDuration(durationMs)),
    );
  }
}

/** Blocks are made when they are opened for the first time: a trace can hold many long texts. */
function opening(summary: HTMLElement, blocks: readonly EventBlock[]): HTMLElement {
  const details = element('details', {}, summary);
  details.addEventListener('toggle', () => details.append(...blocks.map(blockElement)), { once: true });
  return details;
}

function blockElement({ label, text, isDiff }: EventBlock): HTMLElement {
  return element(
    'div',
    { class: 'block' },
    label !== '' && element('div', { class: 'muted' }, label),
    isDiff ? diffBlock(text) : element('pre', { tabindex: '0' }, text),
  );
}

function searchedText({ view }: Entry): string {
  return [view.label, view.line, ...view.blocks.map(({ text }) => text)].join('\n').toLowerCase();
}
