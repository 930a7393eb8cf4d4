// What the page uses of d3-flame-graph 5 and d3-selection 3, which come without types.

declare module 'd3-flame-graph' {
  /** A node of d3-hierarchy's tree over `Datum`; the chart adds `highlight` while searching. */
  export type ChartNode<Datum> = {
    readonly data: Datum;
    readonly parent: ChartNode<Datum> | null;
    readonly depth: number;
    readonly highlight?: boolean;
  };

  /** Called on the chart's svg once; then `show` and `hide` follow the pointer. */
  export type Tooltip<Datum> = (() => void) & {
    show(event: MouseEvent, node: ChartNode<Datum>): void;
    hide(): void;
    destroy(): void;
  };

  export type Chart<Datum> = {
    (selection: unknown): void;
    width(pixels: number): Chart<Datum>;
    cellHeight(pixels: number): Chart<Datum>;
    /** Narrower frames are not drawn, pixels. */
    minFrameSize(pixels: number): Chart<Datum>;
    transitionDuration(milliseconds: number): Chart<Datum>;
    /** True: the root on top. */
    inverted(isInverted: boolean): Chart<Datum>;
    sort(compare: (a: ChartNode<Datum>, b: ChartNode<Datum>) => number): Chart<Datum>;
    tooltip(tooltip: Tooltip<Datum>): Chart<Datum>;
    onClick(handler: (node: ChartNode<Datum>) => void): Chart<Datum>;
    setColorMapper(colour: (node: ChartNode<Datum>) => string): Chart<Datum>;
    setSearchMatch(match: (node: ChartNode<Datum>, term: string) => boolean): Chart<Datum>;
    setSearchHandler(handler: (results: readonly ChartNode<Datum>[]) => void): Chart<Datum>;
    search(term: string): void;
    clear(): void;
    resetZoom(): void;
    destroy(): void;
  };

  export default function flamegraph<Datum>(): Chart<Datum>;
}

declare module 'd3-selection' {
  export function select(element: Element): { datum(data: unknown): unknown };
}
