import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';

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
});
