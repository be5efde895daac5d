import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const blockBytes = 512;
const chunkBytes = 1 << 20;
const damaged = 'a header of the archive is damaged';

/** Entry types: those that describe the next entry, and those that are files and folders. */
const describing = { pax: 'x', paxForAll: 'g', longName: 'L', longLink: 'K' } as const;
const plain: ReadonlySet<string> = new Set(['0', '\0', '5', '7']);
const links = { hard: '1', symbolic: '2' } as const;

interface Entry {
  readonly type: string;
  readonly name: string;
  readonly link: string;
  readonly size: number;
}

/**
 * Copies a tar archive that was made of files of an agent, without what could lead out of it where it is laid down: links that
 * do not stay below their own folder, devices and pipes. Returns the names of what was left out as dangerous; `isExcluded`
 * leaves out more.
 */
export function copySafely(from: string, to: string, isExcluded: (name: string) => boolean = () => false): string[] {
  const [input, output] = [openSync(from, 'r'), openSync(to, 'wx', 0o600)];
  try {
    return new SafeCopy(input, output, isExcluded).run();
  } finally {
    closeSync(input);
    closeSync(output);
  }
}

class SafeCopy {
  readonly #input: number;
  readonly #output: number;
  readonly #isExcluded: (name: string) => boolean;
  readonly #written = new Set<string>();
  readonly #leftOut: string[] = [];
  #described: { name?: string; link?: string; size?: number } = {};
  #pending: Buffer[] = [];

  constructor(input: number, output: number, isExcluded: (name: string) => boolean) {
    this.#input = input;
    this.#output = output;
    this.#isExcluded = isExcluded;
  }

  run(): string[] {
    for (let header = this.#read(blockBytes); header.length === blockBytes; header = this.#read(blockBytes)) {
      if (header.every((byte) => byte === 0)) break;
      this.#take(header);
    }
    writeSync(this.#output, Buffer.alloc(2 * blockBytes));
    return this.#leftOut;
  }

  #take(header: Buffer): void {
    const entry = { ...entryOf(header), ...this.#described };
    if (Object.values<string>(describing).includes(entry.type)) {
      this.#describe(header, entryOf(header));
      return;
    }
    const isSafe = this.#isSafe(entry);
    const isKept = isSafe && !this.#isExcluded(entry.name);
    if (!isSafe) this.#leftOut.push(entry.name);
    for (const block of isKept ? [...this.#pending, header] : []) writeSync(this.#output, block);
    if (isKept) this.#written.add(entry.name);
    this.#passContent(entry.size, isKept);
    this.#pending = [];
    this.#described = {};
  }

  #describe(header: Buffer, { type, size }: Entry): void {
    const content = this.#read(padded(size));
    const text = content.toString('utf8', 0, size);
    this.#pending.push(header, content);
    if (type === describing.longName) this.#described.name = text.replace(/\0.*$/s, '');
    if (type === describing.longLink) this.#described.link = text.replace(/\0.*$/s, '');
    if (type !== describing.pax && type !== describing.paxForAll) return;
    for (const [key, value] of paxRecords(content.subarray(0, size))) {
      if (key === 'path') this.#described.name = value;
      if (key === 'linkpath') this.#described.link = value;
      if (key === 'size') this.#described.size = Number(value);
    }
  }

  #isSafe({ type, name, link }: Entry): boolean {
    if (!isBelow(name)) return false;
    if (type === links.symbolic) return isBelow(link);
    return type === links.hard ? this.#written.has(link) : plain.has(type);
  }

  #passContent(size: number, isKept: boolean): void {
    for (let left = padded(size); left > 0; ) {
      const chunk = this.#read(Math.min(left, chunkBytes));
      if (chunk.length === 0) throw new Error('the archive is cut off');
      if (isKept) writeSync(this.#output, chunk);
      left -= chunk.length;
    }
  }

  #read(size: number): Buffer {
    const buffer = Buffer.alloc(size);
    let filled = 0;
    for (let count = -1; filled < size && count !== 0; filled += count)
      count = readSync(this.#input, buffer, filled, size - filled, null);
    return buffer.subarray(0, filled);
  }
}

/** Records `<length> <key>=<value>` and a line break. Their length decides: a name of the agent may hold line breaks. */
function* paxRecords(content: Buffer): Generator<[key: string, value: string]> {
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(' ', at);
    const end = at + Number(content.toString('latin1', at, space));
    const equals = content.indexOf('=', space);
    if (!(space > at && equals > space && equals < end && end <= content.length)) throw new Error(damaged);
    yield [content.toString('utf8', space + 1, equals), content.toString('utf8', equals + 1, end - 1)];
    at = end;
  }
}

function entryOf(header: Buffer): Entry {
  const field = (start: number, end: number): string => header.toString('utf8', start, end).replace(/\0.*$/s, '');
  const prefix = field(345, 500);
  const name = field(0, 100);
  const size = Number.parseInt(field(124, 136).trim() || '0', 8);
  // Content that is taken for headers could hold any link.
  if (!Number.isSafeInteger(size)) throw new Error(damaged);
  const hasPrefix = prefix !== '' && field(257, 262) === 'ustar';
  return {
    type: header.toString('latin1', 156, 157),
    name: hasPrefix ? `${prefix}/${name}` : name,
    link: field(157, 257),
    size,
  };
}

function padded(size: number): number {
  return Math.ceil(size / blockBytes) * blockBytes;
}

/** Whether a path can only lead further down. */
function isBelow(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..');
}

/** Whether a name or one of the folders in it fits a pattern with `*` and `?`, as `tar --exclude` does. */
export function excludedBy(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`(?:^|/)${escaped.replaceAll('*', '.*').replaceAll('?', '.')}(?:/|$)`);
  });
  return (name) => expressions.some((expression) => expression.test(name));
}
