import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type DiffLine, diffLines } from '../../../src/report/presentation/diff-text.ts';
import { classes } from './classes.ts';
import { Disclosure } from './disclosure.tsx';
import { ScrollBox } from './scroll-box.tsx';

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
    } catch {
      // A page that may not use the clipboard still shows the text.
      setIsCopied(false);
    }
  };
  return (
    <button
      type="button"
      aria-label={isCopied ? 'Copied' : label}
      onClick={() => void copy()}
      onBlur={() => setIsCopied(false)}
      className="rounded p-1 text-muted hover:bg-raised hover:text-ink"
    >
      {isCopied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
    </button>
  );
}

/** A word of a program within a text: a path, a tool, an id. */
export function Mono({ children }: { children: ReactNode }) {
  return <code className="font-mono text-xs">{children}</code>;
}

/** A text whose parts in backticks are shown as code. */
export function WithCode({ text }: { text: string }) {
  const parts = text.split(/(`[^`]+`)/);
  return (
    <>
      {parts.map((part, index) =>
        part.length > 2 && part.startsWith('`') ? (
          <code key={`${index + 1}`} className="font-mono">
            {part.slice(1, -1)}
          </code>
        ) : (
          part
        ),
      )}
    </>
  );
}

/** A text as it is, in a box that scrolls, with a button that copies it. */
export function CodeBlock({
  text,
  maxHeight = 400,
  label = 'Text',
}: {
  text: string;
  maxHeight?: number;
  label?: string;
}) {
  return (
    <div className="group/code relative min-w-0">
      <ScrollBox label={label} maxHeight={maxHeight}>
        <pre className="p-3 font-mono text-xs whitespace-pre-wrap">{text}</pre>
      </ScrollBox>
      <span className="absolute top-1.5 right-1.5 rounded bg-surface opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100">
        <CopyButton text={text} />
      </span>
    </div>
  );
}

/** A text that is shown when it is unfolded. */
export function FoldedCode({ label, text, maxHeight = 400 }: { label: string; text: string; maxHeight?: number }) {
  return (
    <Disclosure summary={<span className="text-xs text-muted">{label}</span>}>
      <CodeBlock text={text} label={label} maxHeight={maxHeight} />
    </Disclosure>
  );
}

/** A command to type, with a button that copies it. */
export function CommandLine({ command }: { command: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-raised py-0.5 pr-0.5 pl-2 text-left">
      <code className="font-mono text-xs text-ink">{command}</code>
      <CopyButton text={command} label={`Copy: ${command}`} />
    </span>
  );
}

const looks: Readonly<Record<DiffLine['kind'], string>> = {
  added: 'bg-pass-ground text-pass',
  removed: 'bg-fail-ground text-fail',
  place: 'bg-raised text-muted',
  same: '',
};

/** Further lines are hidden until requested: browsers are slow with millions of elements. */
const shownLines = 2_000;

/** A unified diff with what was added and removed in colour. */
export function DiffBlock({ text, maxHeight = 480 }: { text: string; maxHeight?: number }) {
  const lines = diffLines(text);
  const hidden = lines.length - shownLines;
  return (
    <ScrollBox label="Differences" maxHeight={maxHeight}>
      <pre className="min-w-max py-1 font-mono text-xs">
        {lines.slice(0, shownLines).map((line, index) => (
          <div key={`${index + 1}`} className={classes('px-3', looks[line.kind])}>
            {line.text || ' '}
          </div>
        ))}
        {hidden > 0 && <div className="px-3 text-muted">… {hidden} more lines</div>}
      </pre>
    </ScrollBox>
  );
}
