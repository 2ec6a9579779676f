// Adds routes to the radix tree and removes them. Included by bsd_radix.hpp.
#pragma once

#include <cstdint>
#include <utility>

namespace fingerpost::bsd_radix {

template <class A>
auto fib<A>::slot_of(std::uint32_t parent, A key) noexcept -> link& {
    return parent == nil ? root_ : inners_[parent].child[branch(key, inners_[parent])];
}

template <class A>
std::uint32_t& fib<A>::parent_of(link l) noexcept {
    return is_leaf(l) ? leaves_[l >> 1].parent : inners_[l >> 1].parent;
}

template <class A>
std::uint32_t fib<A>::place_of_mask(std::uint32_t parent, unsigned length) const noexcept {
    if (parent == nil || inners_[parent].bit < length)
        return nil;
    while (inners_[parent].parent != nil && inners_[inners_[parent].parent].bit >= length)
        parent = inners_[parent].parent;
    return parent;
}

template <class A>
void fib<A>::note(std::uint32_t mask_number, unsigned length, std::uint32_t at) noexcept {
    std::uint32_t* place = &inners_[at].masks;
    while (*place != nil && masks_[*place].length > length)
        place = &masks_[*place].next;
    masks_[mask_number] = {*place, static_cast<std::uint8_t>(length)};
    *place = mask_number;
}

template <class A>
bool fib<A>::note_if_above(std::uint32_t parent, unsigned length) noexcept {
    const std::uint32_t at = place_of_mask(parent, length);
    if (at == nil)
        return true;
    const std::uint32_t mask_number = masks_.allocate();
    if (mask_number == nil)
        return false;
    note(mask_number, length, at);
    return true;
}

template <class A>
void fib<A>::forget(std::uint32_t parent, unsigned length) noexcept {
    const std::uint32_t at = place_of_mask(parent, length);
    if (at == nil)
        return;
    std::uint32_t* place = &inners_[at].masks;
    while (masks_[*place].length != length)
        place = &masks_[*place].next;
    const std::uint32_t mask_number = *place;
    *place = masks_[mask_number].next;
    masks_.release(mask_number);
}

template <class A>
std::uint32_t fib<A>::make_leaf(const route<A>& r) noexcept {
    const std::uint32_t number = leaves_.allocate();
    if (number != nil) {
        leaves_[number].key = r.where.base.value;
        leaves_[number].hop = r.hop;
        leaves_[number].length = r.where.length;
    }
    return number;
}

template <class A>
errc fib<A>::insert(const route<A>& r, std::uint32_t& finger) noexcept {
    const A key = r.where.base;
    if (root_ == nil) {
        const std::uint32_t new_leaf = make_leaf(r);
        if (new_leaf == nil)
            return leaves_.shortage();
        root_ = leaf_link(new_leaf);
        finger = new_leaf;
        return errc::ok;
    }
    link from = root_;
    if (finger != nil) {
        const unsigned shared = common_length(key, A{leaves_[finger].key});
        from = leaf_link(finger);
        for (std::uint32_t up = leaves_[finger].parent; up != nil; up = inners_[up].parent) {
            from = inner_link(up);
            if (inners_[up].bit <= shared)
                break;
        }
    }
    const std::uint32_t near = leaf_below(from, key);
    const unsigned parting = common_length(key, A{leaves_[near].key});
    if (parting == A::bits)
        return add_to_key(r, near, finger);
    return add_key(r, from, parting, finger);
}

template <class A>
errc fib<A>::add_to_key(const route<A>& r, std::uint32_t first, std::uint32_t& finger) noexcept {
    finger = first;
    std::uint32_t before = nil;
    std::uint32_t at = first;
    for (; at != nil && leaves_[at].length > r.where.length; at = leaves_[at].next)
        before = at;
    if (at != nil && leaves_[at].length == r.where.length) {
        leaves_[at].hop = r.hop;
        return errc::ok;
    }
    const std::uint32_t new_leaf = make_leaf(r);
    if (new_leaf == nil)
        return leaves_.shortage();
    const std::uint32_t parent = leaves_[first].parent;
    leaves_[new_leaf].next = at;
    if (before != nil) {
        leaves_[before].next = new_leaf;
    } else {
        leaves_[new_leaf].parent = parent;
        slot_of(parent, r.where.base) = leaf_link(new_leaf);
        finger = new_leaf;
    }
    return note_if_above(parent, r.where.length) ? errc::ok : masks_.shortage();
}

template <class A>
errc fib<A>::add_key(const route<A>& r, link from, unsigned parting, std::uint32_t& finger) noexcept {
    const A key = r.where.base;
    const std::uint32_t new_leaf = make_leaf(r);
    const std::uint32_t fork = inners_.allocate();
    if (new_leaf == nil || fork == nil)
        return new_leaf == nil ? leaves_.shortage() : inners_.shortage();
    finger = new_leaf;
    link below = from;
    while (!is_leaf(below) && inners_[below >> 1].bit < parting)
        below = inners_[below >> 1].child[branch(key, inners_[below >> 1])];
    const std::uint32_t above = parent_of(below);
    inner& n = inners_[fork];
    n.bit = static_cast<std::uint8_t>(parting);
    n.shift = static_cast<std::uint8_t>(A::bits - 1 - parting);
    n.parent = above;
    const unsigned side = branch(key, n);
    n.child[side] = leaf_link(new_leaf);
    n.child[1 - side] = below;
    slot_of(above, key) = inner_link(fork);
    parent_of(below) = fork;
    leaves_[new_leaf].parent = fork;
    if (!is_leaf(below)) {
        // The shorter masks, at the end of the list, move to the fork, which is now the topmost node for
        // them.
        std::uint32_t* place = &inners_[below >> 1].masks;
        while (*place != nil && masks_[*place].length > parting)
            place = &masks_[*place].next;
        n.masks = std::exchange(*place, nil);
    } else {
        for (std::uint32_t l = below >> 1; l != nil; l = leaves_[l].next)
            if (place_of_mask(fork, leaves_[l].length) == fork && !note_if_above(fork, leaves_[l].length))
                return masks_.shortage();
    }
    return note_if_above(fork, r.where.length) ? errc::ok : masks_.shortage();
}

template <class A>
void fib<A>::erase(const prefix<A>& p) noexcept {
    if (root_ == nil)
        return;
    const std::uint32_t first = leaf_below(root_, p.base);
    if (leaves_[first].key != p.base.value)
        return;
    std::uint32_t before = nil;
    std::uint32_t at = first;
    for (; at != nil && leaves_[at].length != p.length; at = leaves_[at].next)
        before = at;
    if (at == nil)
        return;
    const std::uint32_t parent = leaves_[first].parent;
    const std::uint32_t next = leaves_[at].next;
    forget(parent, p.length);
    leaves_.release(at);
    if (before != nil) {
        leaves_[before].next = next;
    } else if (next != nil) {
        leaves_[next].parent = parent;
        slot_of(parent, p.base) = leaf_link(next);
    } else {
        erase_key(p.base, parent);
    }
}

template <class A>
void fib<A>::erase_key(A key, std::uint32_t fork) noexcept {
    if (fork == nil) {
        root_ = nil;
        return;
    }
    const inner old = inners_[fork];
    const link stays = old.child[1 - branch(key, old)];
    slot_of(old.parent, key) = stays;
    parent_of(stays) = old.parent;
    if (is_leaf(stays)) {
        for (std::uint32_t m = old.masks; m != nil;) {
            const std::uint32_t next = masks_[m].next;
            masks_.release(m);
            m = next;
        }
    } else {
        std::uint32_t* place = &inners_[stays >> 1].masks;
        while (*place != nil)
            place = &masks_[*place].next;
        *place = old.masks;
    }
    inners_.release(fork);
}

template <class A>
void fib<A>::compact() noexcept {
    if (!inners_.sparse() && !leaves_.sparse() && !masks_.sparse())
        return;
    fib fresh(leaves_.most_nodes());
    if (!fresh.inners_.reserve(inners_.size()) || !fresh.leaves_.reserve(leaves_.size()) ||
        !fresh.masks_.reserve(masks_.size()))
        return;
    std::uint32_t last = nil;
    if (root_ != nil)
        copy_below(root_, fresh, last);
    *this = std::move(fresh);
}

template <class A>
void fib<A>::copy_below(link from, fib& to, std::uint32_t& last) const noexcept {
    if (is_leaf(from)) {
        for (std::uint32_t l = from >> 1; l != nil; l = leaves_[l].next)
            (void)to.insert({{A{leaves_[l].key}, leaves_[l].length}, leaves_[l].hop}, last);
        return;
    }
    for (const link child : inners_[from >> 1].child)
        copy_below(child, to, last);
}

} // namespace fingerpost::bsd_radix
