import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { Button } from '../kit/button.tsx';

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
