import { NumberColumn } from './number-column.ts';

const beyondLatin1 = /[^\u0000-\u00ff]/;
/** First byte of a text, by how many bytes each of its characters has. */
const [narrow, wide] = [0, 1];
/** More would not fit on the stack. */
const charactersAtOnce = 8_192;

/** As another process can take them. */
export interface PackedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Int32Array;
}

/** Texts one after the other in one piece of memory: half a million short ones as strings take five times as much. */
export class TextList {
  #bytes: Uint8Array;
  /** By text: where the next one begins. */
  readonly #ends: NumberColumn;
  #length: number;

  constructor({ bytes, ends }: PackedTexts = { bytes: new Uint8Array(), ends: new Int32Array() }) {
    this.#bytes = bytes;
    this.#ends = NumberColumn.unpacked(ends);
    this.#length = ends.length;
  }

  pack(): PackedTexts {
    return { bytes: this.#bytes.slice(0, this.#end), ends: this.#ends.pack() };
  }

  get length(): number {
    return this.#length;
  }

  /** Gives the place of the text. */
  add(text: string): number {
    this.#ends.set(this.#length, this.#end + this.write(text));
    return this.#length++;
  }

  at(place: number): string {
    const [start, end] = this.range(place);
    return this.#bytes[start] === wide
      ? textOf(wideCharacters(this.#bytes, start + 1, end))
      : textOf(this.#bytes.subarray(start + 1, end));
  }

  /** As `<` compares strings: negative where the first comes first. */
  compare(one: number, other: number): number {
    const [[from, to], [otherFrom, otherTo]] = [this.range(one), this.range(other)];
    const areNarrow = this.#bytes[from] === narrow && this.#bytes[otherFrom] === narrow;
    if (areNarrow) return comparedBytes(this.#bytes, [from, to], [otherFrom, otherTo]);
    const [text, otherText] = [this.at(one), this.at(other)];
    return text < otherText ? -1 : text > otherText ? 1 : 0;
  }

  get #end(): number {
    return this.#length === 0 ? 0 : this.#ends.at(this.#length - 1);
  }

  /** Behind the last text, without adding it; gives the number of bytes. */
  protected write(text: string): number {
    const isWide = beyondLatin1.test(text);
    const size = 1 + text.length * (isWide ? 2 : 1);
    this.#makeRoom(size);
    let place = this.#end;
    this.#bytes[place++] = isWide ? wide : narrow;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      this.#bytes[place++] = code;
      if (isWide) this.#bytes[place++] = code >>> 8;
    }
    return size;
  }

  /** Bytes of a text; behind the last one, those that were written and not added. */
  protected range(place: number): Range {
    return [place === 0 ? 0 : this.#ends.at(place - 1), this.#ends.at(place)];
  }

  protected get bytes(): Uint8Array {
    return this.#bytes;
  }

  #makeRoom(size: number): void {
    const needed = this.#end + size;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(1_024, needed, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Each text once, with its place. */
export class TextTable extends TextList {
  /** Places + 1 by hash. */
  #slots = new Int32Array(16);

  constructor(packed?: PackedTexts) {
    super(packed);
    this.#placeAll();
  }

  /** The place of the text, which is added where it is not there. */
  override add(text: string): number {
    const size = this.write(text);
    const start = this.length === 0 ? 0 : this.range(this.length - 1)[1];
    const slot = this.#slotOf(start, start + size);
    const existing = this.#slots[slot] ?? 0;
    if (existing !== 0) return existing - 1;
    const place = super.add(text);
    this.#slots[slot] = place + 1;
    if (this.length * 2 >= this.#slots.length) this.#placeAll();
    return place;
  }

  /** Where these bytes are, or would be. */
  #slotOf(start: number, end: number): number {
    const { bytes } = this;
    const mask = this.#slots.length - 1;
    let slot = hashOf(bytes, start, end) & mask;
    for (;;) {
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place < 0) return slot;
      const [from, to] = this.range(place);
      if (to - from === end - start && comparedBytes(bytes, [start, end], [from, to]) === 0) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #placeAll(): void {
    let size = this.#slots.length;
    while (size <= this.length * 2) size *= 2;
    this.#slots = new Int32Array(size);
    for (let place = 0; place < this.length; place++) this.#slots[this.#slotOf(...this.range(place))] = place + 1;
  }
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let place = start; place < end; place++) hash = Math.imul(hash ^ (bytes[place] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}

function wideCharacters(bytes: Uint8Array, start: number, end: number): Uint16Array {
  const codes = new Uint16Array((end - start) / 2);
  for (let index = 0; index < codes.length; index++) {
    const place = start + 2 * index;
    codes[index] = (bytes[place] ?? 0) | ((bytes[place + 1] ?? 0) << 8);
  }
  return codes;
}

function textOf(codes: Uint8Array | Uint16Array): string {
  let text = '';
  for (let start = 0; start < codes.length; start += charactersAtOnce) {
    const some: ArrayLike<number> = codes.subarray(start, start + charactersAtOnce);
    // A spread reads them one by one, which takes five times as long.
    text += String.fromCharCode.apply(null, some as number[]);
  }
  return text;
}

type Range = readonly [start: number, end: number];

/** Negative where the first range comes first, 0 where both are equal. */
function comparedBytes(bytes: Uint8Array, [from, to]: Range, [otherFrom, otherTo]: Range): number {
  const length = Math.min(to - from, otherTo - otherFrom);
  for (let index = 0; index < length; index++) {
    const difference = (bytes[from + index] ?? 0) - (bytes[otherFrom + index] ?? 0);
    if (difference !== 0) return difference;
  }
  return to - from - (otherTo - otherFrom);
}
