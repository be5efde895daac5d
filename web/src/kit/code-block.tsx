import { CopyButton } from './copy-button.tsx';
import { ScrollBox } from './scroll-box.tsx';

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
