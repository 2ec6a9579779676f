// Answers the batches of a request, and manages idle sessions.
#include "cli/serve/sessions.hpp"

namespace fingerpost::cli {

void session::begin(served_pointer table, row_format format, std::string& out, const table_part* part) {
    asked_.use(table->table, part);
    table_ = std::move(table);
    covers_.reset();
    writer_ = row_writer(format, true, part != nullptr ? part->names() : table_->names);
    out_ = &out;
    count_ = 0;
    writer_.begin(out);
}

void session::begin_covers(served_pointer table, std::string& out, const table_part* part) {
    begin(std::move(table), row_format::json, out, part);
    covers_.emplace(table_->table, part, part != nullptr ? part->names() : table_->names);
}

void session::add(std::string_view text) {
    if (covers_) {
        *out_ += count_++ == 0 ? "" : ",\n";
        return covers_->write(text, *out_);
    }
    if (const auto error = asked_.ask(text))
        asked_.keep(text, message(*error));
    answer_if_full();
}

void session::add_wrong(std::string_view text, std::string error) {
    asked_.keep(text, std::move(error));
    answer_if_full();
}

void session::answer_if_full() {
    ++count_;
    if (asked_.is_full())
        asked_.write(writer_, *out_);
}

void session::end() {
    asked_.write(writer_, *out_);
    writer_.end(*out_);
}

session_pool::lease session_pool::take(const served_pointer& table) {
    std::unique_lock held(lock_);
    given_back_.wait(held, [this] { return left_ != 0; });
    --left_;
    std::unique_ptr<session> lent;
    if (!idle_.empty()) {
        lent = std::move(idle_.back());
        idle_.pop_back();
    }
    held.unlock();
    try {
        if (!lent)
            lent = std::make_unique<session>(table);
    } catch (...) {
        give_back(nullptr);
        throw;
    }
    return {*this, std::move(lent)};
}

void session_pool::give_back(std::unique_ptr<session> lent) noexcept {
    if (lent)
        lent->release();
    {
        const std::lock_guard held(lock_);
        ++left_;
        // There has been room for all of them since the start.
        if (lent)
            idle_.push_back(std::move(lent));
    }
    given_back_.notify_one();
}

} // namespace fingerpost::cli
