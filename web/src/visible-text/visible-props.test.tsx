import { render, screen } from '@testing-library/react';
import { memo } from 'react';
import { describe, expect, it } from 'vitest';
import { SectionBlocks } from '../kit/sections.tsx';

const hiding = 'gp\u202Eexe\u200B';
const named = 'gp⟨U+202E⟩exe⟨U+200B⟩';

describe('texts of the pages', () => {
  it('name characters that cannot be seen, in texts and in labels', () => {
    render(
      <section title={hiding} aria-label={hiding}>
        file {hiding} {['of', [hiding]]} {3}
      </section>,
    );
    const text = screen.getByLabelText(named);
    expect(text.textContent).toBe(`file ${named} of${named} 3`);
    expect(text.title).toBe(named);
  });

  it('leave a value that is edited as it is', () => {
    render(<textarea aria-label="Input" defaultValue={hiding} />);
    expect(screen.getByLabelText<HTMLTextAreaElement>('Input').value).toBe(hiding);
  });

  it('name them in every block of a section', () => {
    const table = { kind: 'table', columns: [{ head: hiding }], rows: [{ cells: [hiding] }] } as const;
    const list = { kind: 'list', items: [{ words: hiding, name: hiding, below: [hiding] }] } as const;
    const blocks = [{ kind: 'text', words: [hiding, { text: hiding }] } as const, list, table];
    const { container } = render(<SectionBlocks section={{ title: hiding, blocks }} label={hiding} />);
    expect(container.textContent).toContain(named);
    expect(container.textContent).not.toMatch(/[\u202E\u200B]/);
  });
});

/** Not called: the types are what is tested, by `npm run check`. */
export function bareTexts() {
  const Bare = () => hiding;
  const BareInList = () => ['of', hiding];
  const BareMemo = memo(Bare);
  return [
    // @ts-expect-error A component that gives back a bare text cannot be an element of the pages.
    <Bare key="text" />,
    // @ts-expect-error Nor one that gives back several.
    <BareInList key="list" />,
    // @ts-expect-error Nor one that React made of such a component.
    <BareMemo key="memo" />,
  ];
}
