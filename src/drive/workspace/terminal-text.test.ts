import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputBeforeEnd } from './terminal-host.ts';
import { TerminalText, terminalText } from './terminal-text.ts';

describe('TerminalText', () => {
  it.each([
    ['colours and titles', '\u001B]0;title\u0007\u001B[1;31mred\u001B[0m\r\n', 'red\n'],
    ['links', '\u001B]8;;https://x.example\u001B\\text\u001B]8;;\u001B\\\n', 'text\n'],
    ['a movement to the right', 'a\u001B[2Cb\n', 'a  b\n'],
    ['overwritten text', '10%\r20%\r\n', '10%\n20%\n'],
    ['a cleared line', '\r\u001B[Kdone\r\n', 'done\n'],
    ['positions', 'one\u001B[5;1Htwo\u001B[?1049l\n', 'one\ntwo\n\n'],
    ['character sets and saved positions', '\u001B(Ba\u001B7b\u001B8c\n', 'abc\n'],
    ['backspaces', 'ö\bab\bc\n', 'ac\n'],
    ['control characters of eight bits', 'a\u009B31mb\u0085c é\n', 'ab\nc é\n'],
    ['a title without an end, whose text stays', '\u001B]0;hidden work\nnext\n', '0;hidden work\nnext\n'],
    ['a last line', 'no end', 'no end'],
  ])('reads %s', (_what, output, text) => {
    expect(terminalText(output)).toBe(text);
  });

  it('reads the same text however the bytes were cut, and leaves no escape in it', () => {
    const unit = fc.constantFrom(
      'a',
      'ö',
      '\u001B',
      '[',
      ']',
      '1;2',
      'C',
      'H',
      'm',
      '\u0007',
      '\\',
      '\r',
      '\n',
      '\u009B',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), fc.nat({ max: 80 }), (output, cut) => {
        const bytes = Buffer.from(output.replaceAll('\b', ''));
        const text = new TerminalText();
        const parts = [text.push(bytes.subarray(0, cut)), text.push(bytes.subarray(cut)), text.end()];
        expect(Buffer.concat(parts).toString()).toBe(terminalText(output));
        expect(terminalText(output)).not.toMatch(/[\u001B\u009B\u0007\r]/);
      }),
    );
  });
});

describe('OutputBeforeEnd', () => {
  it('passes on everything before the mark, wherever the bytes are cut', () => {
    const whole = Buffer.from('some MAR output MARK7; rest');
    for (let cut = 0; cut <= whole.length; cut++) {
      const output = new OutputBeforeEnd('MARK');
      const passed = Buffer.concat([output.push(whole.subarray(0, cut)), output.push(whole.subarray(cut))]);
      expect(passed.toString()).toBe('some MAR output ');
      expect(output.exitCode).toBe(7);
    }
  });
});
