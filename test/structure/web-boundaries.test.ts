import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../web', import.meta.url));
const program = join(root, '..', 'src');

/** What of the program the pages may use: what is pure and does not bring a library for checking along. */
const shared = ['domain/', 'report/compare/', 'report/presentation/', 'shared/'];

interface Import {
  readonly file: string;
  readonly isTypeOnly: boolean;
  /** In the sources of the program. */
  readonly target: string;
}

function importsOfTheProgram(): Import[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) => {
      const path = join(root, 'src', file);
      const statements = readFileSync(path, 'utf8').matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from '(\.[^']+)';/gm);
      return [...statements].map(([, type, specifier = '']) => ({
        file,
        isTypeOnly: type !== undefined,
        target: relative(program, join(dirname(path), specifier)),
      }));
    })
    .filter(({ target }) => !target.startsWith('..'));
}

describe('what the pages take from the program', () => {
  it('is found', () => {
    expect(importsOfTheProgram().length).toBeGreaterThan(10);
  });

  it('is types, or pure code that is shared', () => {
    const wrong = importsOfTheProgram().filter(
      ({ isTypeOnly, target }) => !isTypeOnly && !shared.some((place) => target.startsWith(place)),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the pages', () => {
  it('never put text into the page as markup', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const risky = files
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .filter((file) =>
        /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write/.test(
          readFileSync(join(root, 'src', file), 'utf8'),
        ),
      );
    expect(risky).toEqual([]);
  });
});
