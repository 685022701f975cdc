// Drag, wheel, pinch and double click: how a pointer moves the map.

class Gestures {
  constructor(element, view) {
    Object.assign(this, { view, pointers: new Map() });
    element.addEventListener('pointerdown', (event) => this.down(event, element));
    element.addEventListener('pointermove', (event) => this.move(event));
    for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, (event) => this.up(event));
    element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    element.addEventListener('dblclick', (event) => {
      if (!event.target.closest('.label')) this.zoomAt(event.clientX, event.clientY, 1);
    });
  }

  down(event, element) {
    if (event.button || event.target.closest('.label')) return;
    element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    const share = other ? 0.5 : 1; // of two fingers, each carries half of the way
    this.view.panBy((before[0] - now[0]) * share, (before[1] - now[1]) * share);
    if (other) this.pinch(before, now, other);
  }

  pinch(before, now, other) {
    const far = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
    this.zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, Math.log2(far(now) / far(before)));
  }

  up(event) { this.pointers.delete(event.pointerId); }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode ? 30 : 1, pinched = event.ctrlKey ? 5 : 1;
    const steps = -event.deltaY * lines * pinched * 0.0022;
    this.zoomAt(event.clientX, event.clientY, Math.max(-0.7, Math.min(0.7, steps)));
  }

  // Zoom so that what is under the pointer stays there.
  zoomAt(left, top, steps) {
    const { view } = this, [x, y] = view.world(left, top), zoom = view.within(view.state.zoom + steps);
    const shrunk = 2 ** (view.state.zoom - zoom), { target } = view.state;
    view.show({ target: [x + (target[0] - x) * shrunk, y + (target[1] - y) * shrunk], zoom });
  }
}
