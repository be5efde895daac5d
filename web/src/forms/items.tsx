import { ArrowDown, ArrowUp, ChevronRight, Plus, X } from 'lucide-react';
import { type ReactNode, useContext, useId, useState } from 'react';
import type { Path } from '../../../src/shared/document-edit/document-change.ts';
import { Badge } from '../kit/badge.tsx';
import { Button } from '../kit/button.tsx';
import { startsWith } from './field-problems.ts';
import { FormContext } from './form-context.tsx';
import type { FormField } from './form-field.ts';

/** A foldable item with its own fields; folded, it still shows that it has problems. */
export function BigItem({
  title,
  path,
  isOpenAtFirst,
  head,
  buttons,
  children,
}: {
  title: string;
  path: Path;
  isOpenAtFirst: boolean;
  /** Instead of the title, where more than that stands there. */
  head?: ReactNode;
  buttons: ReactNode;
  children: ReactNode;
}) {
  const { problems } = useContext(FormContext);
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const id = useId();
  const isWrong = problems.some((problem) => startsWith(problem.path, path));
  return (
    <li className="rounded-md border border-line">
      <div className="flex items-center gap-2 py-1 pr-1 pl-1.5">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${title}`}
          onClick={() => setIsOpen(!isOpen)}
          className="rounded p-1 text-muted hover:bg-raised hover:text-ink"
        >
          <ChevronRight size={14} aria-hidden className={isOpen ? 'rotate-90' : undefined} />
        </button>
        <div className="min-w-0 flex-1 truncate text-sm">{head ?? title}</div>
        {isWrong && !isOpen && <Badge tone="bad">problem</Badge>}
        {buttons}
      </div>
      <div id={id} hidden={!isOpen} className="border-t border-line p-3">
        {isOpen && children}
      </div>
    </li>
  );
}

/** Adds to a list or to values by name. */
export function AddButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <div>
      <Button size="sm" icon={<Plus size={13} aria-hidden />} aria-label={`Add to ${label}`} onClick={onClick}>
        Add
      </Button>
    </div>
  );
}

/** Buttons that move an item of a list and take it out. */
export function ItemButtons({
  name,
  index,
  count,
  onMove,
  onRemove,
}: {
  name: string;
  index: number;
  count: number;
  onMove: (to: number) => void;
  onRemove: () => void;
}) {
  return (
    <span className="flex shrink-0 items-center">
      {count > 1 && (
        <>
          <Button
            variant="ghost"
            size="sm"
            aria-label={`Move ${name} up`}
            disabled={index === 0}
            onClick={() => onMove(index - 1)}
            icon={<ArrowUp size={14} aria-hidden />}
          />
          <Button
            variant="ghost"
            size="sm"
            aria-label={`Move ${name} down`}
            disabled={index === count - 1}
            onClick={() => onMove(index + 1)}
            icon={<ArrowDown size={14} aria-hidden />}
          />
        </>
      )}
      <Button
        variant="ghost"
        size="sm"
        aria-label={`Remove ${name}`}
        onClick={onRemove}
        icon={<X size={14} aria-hidden />}
      />
    </span>
  );
}

/** Whether a field takes one line and needs no folding. */
export function isSmall({ kind }: FormField): boolean {
  return kind === 'text' || kind === 'number' || kind === 'choice' || kind === 'switch';
}
