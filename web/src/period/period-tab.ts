import { element } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { TabView } from '../shell/tab-view.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import { renderSampling } from './sampling-sections.ts';
import { StreamCourse } from './stream-course.ts';
import './sampling.css';

/**
 * How the recording was sampled, from what matters most: whether it can be trusted, what was lost, what
 * the weights and stacks are worth, what was recorded, and how the period went.
 */
export class PeriodTab implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #sections = element('div', 'sampling-sections');
  readonly #course: StreamCourse;
  /** The event of the sections that are drawn; −1: none are. */
  #event = -1;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#course = new StreamCourse(context);
    const course = element('section', '', element('h2', '', 'Period'), this.#course.root);
    const scroller = element('div', 'sampling', this.#sections, course);
    // It may have nothing else to reach it by.
    scroller.tabIndex = 0;
    scroller.setAttribute('role', 'region');
    scroller.setAttribute('aria-label', 'Sampling');
    this.root = element('div', 'sampling-panel', scroller);
    context.report.onArrival(() => this.#draw());
  }

  get keys(): readonly KeyBinding[] {
    return this.#course.keys;
  }

  show(state: ViewState): void {
    if (state.event !== this.#event) this.#draw();
    this.#course.show(state);
  }

  #draw(): void {
    const { event } = this.#context.store.get();
    this.#event = event;
    this.#sections.replaceChildren(...renderSampling(this.#context, event));
  }
}
