/** A picture that is made from a name alone: the same name always looks the same. */
interface DrawnPortrait {
  readonly initials: string;
  readonly ground: string;
  readonly shapes: readonly {
    readonly x: number;
    readonly y: number;
    readonly radius: number;
    readonly fill: string;
  }[];
}

/** Colours are dark enough for white letters. */
export function drawnPortrait(name: string): DrawnPortrait {
  const next = numbersOf(name.normalize('NFC'));
  const hue = next(360);
  const shape = (x: number) => ({
    x: x + next(12),
    y: next(40),
    radius: 8 + next(10),
    fill: `hsl(${(hue + 25 + next(50)) % 360} 50% ${28 + next(8)}%)`,
  });
  return { initials: initialsOf(name), ground: `hsl(${hue} 50% 30%)`, shapes: [shape(0), shape(28)] };
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.normalize('NFC').match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = '', last = ''] = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return [first, last].map((word) => [...word][0]?.toUpperCase() ?? '').join('') || '?';
}

/** Numbers below a limit that follow from a text (FNV-1a, then a linear congruential sequence). */
function numbersOf(text: string): (below: number) => number {
  let state = 0x811c9dc5;
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
