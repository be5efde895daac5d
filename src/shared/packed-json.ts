/** JSON in which every text, and every list of keys, stands once: rows that resemble each other take little room. */
export interface PackedJson {
  readonly texts: readonly string[];
  readonly shapes: readonly (readonly string[])[];
  /** A text is `[number]`, an object `[shape, values]`, and a list `[-1, items]`; everything else is itself. */
  readonly value: PackedValue;
}

type PackedValue = number | boolean | null | readonly [number] | readonly [number, readonly PackedValue[]];

const listShape = -1;

/** Packs a value of plain data; keys without a value are left out. */
export function packJson(value: unknown): PackedJson {
  const texts = new Map<string, number>();
  const shapes = new Map<string, number>();
  const numberOf = (known: Map<string, number>, text: string): number => {
    const number = known.get(text) ?? known.size;
    known.set(text, number);
    return number;
  };
  const pack = (inside: unknown): PackedValue => {
    if (typeof inside === 'string') return [numberOf(texts, inside)];
    if (Array.isArray(inside)) return [listShape, inside.map(pack)];
    if (typeof inside !== 'object' || inside === null) return inside as number | boolean | null;
    const entries = Object.entries(inside).filter(([, field]) => field !== undefined);
    const shape = numberOf(shapes, JSON.stringify(entries.map(([key]) => key)));
    return [shape, entries.map(([, field]) => pack(field))];
  };
  const packed = pack(value);
  return { texts: [...texts.keys()], shapes: [...shapes.keys()].map((keys) => JSON.parse(keys)), value: packed };
}

/** The value as it was packed. */
export function unpackJson({ texts, shapes, value }: PackedJson): unknown {
  const unpack = (inside: PackedValue): unknown => {
    if (typeof inside !== 'object' || inside === null) return inside;
    const [number, items] = inside;
    if (items === undefined) return texts[number];
    if (number === listShape) return items.map(unpack);
    return Object.fromEntries((shapes[number] ?? []).map((key, index) => [key, unpack(items[index] ?? null)]));
  };
  return unpack(value);
}
