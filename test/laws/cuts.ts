import { type Document, placeText, spotsOf, textOf, withParent } from './document.ts';
import type { Distortion } from './operators.ts';

/** The classes of bytes at which a text can be cut: each breaks other readers. */
const cutClasses: Readonly<Record<string, RegExp>> = {
  'inside of a name or a text': /[A-Za-z](?=[A-Za-z])/g,
  'inside of a number': /\d(?=\d)/g,
  'after a bracket': /[[{]/g,
  'before a bracket': /(?=[\]}])/g,
  'after a comma': /,/g,
  'after a colon': /:/g,
  'inside of an escape': /\\(?=["nu\\])/g,
  'after a line': /\n(?=.)/g,
  'before the end of a line': /.(?=\n.)/g,
  'inside of a tag': /<(?=\w)/g,
};

const cutsPerClass = 24;

/** The document up to some bytes, and texts inside of it that are themselves JSON up to some of theirs. */
export function cutsIn(document: Document): Distortion[] {
  return [...bytesCut(document), ...documentsCut(document)];
}

function bytesCut(document: Document): Distortion[] {
  const text = textOf(document);
  return Object.entries(cutClasses).flatMap(([name, pattern]) =>
    spread([...text.matchAll(pattern)].map((match) => match.index + match[0].length)).map((end) => ({
      operator: 'cut',
      unit: 'bytes',
      place: `byte ${end} of ${text.length}, ${name}`,
      key: '',
      value: undefined,
      siblings: 1,
      text: () => text.slice(0, end),
    })),
  );
}

/** Some of many, evenly. */
function spread(positions: readonly number[]): number[] {
  const step = Math.max(1, positions.length / cutsPerClass);
  return Array.from(
    { length: Math.min(cutsPerClass, positions.length) },
    (_, index) => positions[Math.floor(index * step)] ?? 0,
  );
}

function documentsCut(document: Document): Distortion[] {
  return spotsOf(document).flatMap((spot): Distortion[] => {
    const { value, path } = spot;
    const key = path.at(-1);
    if (typeof value !== 'string' || !/^\s*[[{].*[\]}]\s*$/s.test(value) || key === undefined) return [];
    const cut = (parent: unknown): unknown => {
      const half = value.slice(0, Math.ceil(value.length / 2));
      return Array.isArray(parent) ? parent.with(Number(key), half) : { ...(parent as object), [key]: half };
    };
    const about = { place: `${placeText(spot)} up to its middle`, key: spot.key, siblings: spot.siblings };
    return [{ operator: 'cut', unit: 'key', ...about, value, text: () => withParent(document, spot, cut) }];
  });
}
